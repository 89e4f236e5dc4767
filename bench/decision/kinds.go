package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// A kind is a way in which two texts differ. Each of its pairs is inserted into each frame at %.
type kind struct {
	name   string
	same   bool
	frames []string
	pairs  string // one per line: A | B
}

var (
	prose = []string{
		"%", "the committee reported on monday that %", "% , according to the minutes of the meeting",
		"as the editors noted in the last issue, % and nothing else has changed since",
		"readers wrote to say that % ; the office has not answered yet",
	}
	chinese = []string{"%", "据本报记者昨天报道,%", "%,请各部门负责人周五以前回复", "会议纪要写道:%,其他安排不变"}
)

// kinds are pairs made of signs, typography and negation.
var kinds = []kind{
	{"signs", false, prose, `the share price moved +2.3 % in a day | the share price moved -2.3 % in a day
the night will have 5 degrees at most | the night will have -5 degrees at most
the loop runs while a < b holds | the loop runs while a > b holds
the loop runs while a <= b holds | the loop runs while a >= b holds
the check is that x == y there | the check is that x != y there
the guard is p && q in the code | the guard is p || q in the code
the answer is 15 + 27 here | the answer is 15 - 27 here
the answer is 15 * 27 here | the answer is 15 / 27 here
the area is x^2 for the square | the area is x*2 for the square
the blood had 5 % of it | the blood had 5 ‰ of it
the book is sold for $20 there | the book is sold for €20 there
the book is sold for 20 £ there | the book is sold for 20 ¥ there
the course is taught in c++ this term | the course is taught in c# this term
the course is taught in c++ this term | the course is taught in c this term
the site was built with .net last year | the site was built with net last year
run the tool with --force on the server | run the tool with --check on the server
the water is h₂o in the lab | the water is h₃o in the lab
the volume is 10 m³ in all | the volume is 10 m² in all
the test of the build ✓ | the test of the build ✗
the vote of the board 👍 | the vote of the board 👎
the trend of the week ↑ | the trend of the week ↓
shift it by a << 2 first | shift it by a >> 2 first
the margin is ±3 points | the margin is -3 points
the value is > 30 today | the value is < 30 today
the value is = 30 today | the value is ≠ 30 today`},
	{"signs, Chinese", false, chinese, `股价当天变动+2.3% | 股价当天变动-2.3%
夜间气温为5℃左右 | 夜间气温为-5℃左右
条件是a<b成立 | 条件是a>b成立
合格标准为≥30分 | 合格标准为≤30分
票价为20元每张 | 票价为20€每张
浓度为5%左右 | 浓度为5‰左右
结果为15+27 | 结果为15-27
检查结果:✓ | 检查结果:✗
面积为10m² | 体积为10m³`},
	{"question or statement", false, []string{"%", "据本报记者昨天报道,%", "minutes of the meeting: %"}, `他明天来参加会议吗? | 他明天来参加会议。
the council will pay for the bridge? | the council will pay for the bridge.
新桥已经正式通车? | 新桥已经正式通车!`},
	{"typography", true, prose, `the talks – which began on monday – went on | the talks - which began on monday - went on
the “new” bridge was opened | the "new" bridge was opened
it’s said the bridge was opened | it's said the bridge was opened
the match ended 3:1 at home | the match ended 3-1 at home
the match ended 3–1 at home | the match ended 3-1 at home
the firm paid 1,500 pounds to each | the firm paid 1500 pounds to each
the firm paid 5 % of the price | the firm paid 5% of the price
the train takes 5 km to stop | the train takes 5km to stop
the ＡＢＣ station was closed | the ABC station was closed
the plan... was dropped | the plan… was dropped
the well-known singer came to town | the well known singer came to town
the e-mail was sent to all members | the email was sent to all members
the café at the port was full | the cafe at the port was full
the mayor (of the town) came to see it | the mayor, of the town, came to see it
news * sport * weather of the town hall | news | sport | weather of the town hall
the price/performance of the engine was praised | the price / performance of the engine was praised
**the bridge** was opened to all | the bridge was opened to all
_the bridge_ was opened to all | the bridge was opened to all
the bridge was opened to all! | the bridge was opened to all.
the colour of the bridge was changed | the color of the bridge was changed`},
	{"typography, Chinese", true, chinese, `会议将于14：00开始,请准时参加 | 会议将于14:00开始,请准时参加
“新桥”已经正式通车 | 「新桥」已经正式通车
共有１２３人参加了活动 | 共有123人参加了活动
新增三例确诊病例 | 新增3例确诊病例
百分之八十的居民表示支持 | 80%的居民表示支持
新橋已經正式通車 | 新桥已经正式通车
新桥、公园、学校都已建成 | 新桥,公园,学校都已建成
新桥已经正式通车！ | 新桥已经正式通车。
请登录帐号修改密码 | 请登录账号修改密码
比赛以3:1结束 | 比赛以三比一结束
新桥——已经正式通车 | 新桥--已经正式通车
（新桥）已经正式通车 | (新桥)已经正式通车
新桥 已经 正式 通车 | 新桥已经正式通车
气温为5 ℃左右 | 气温为5℃左右
全长5公里的道路 | 全长5千米的道路`},
	{"negation", false, prose, `the council will approve the new budget | the council will not approve the new budget
the council approved the new budget | the council didn't approve the new budget
the minister can attend the summit | the minister cannot attend the summit
the drug is safe for children | the drug is unsafe for children
the strike is legal in this state | the strike is illegal in this state
the result was significant at last | the result was not significant at last
the flight is expected to leave today | the flight is never expected to leave today
the shop is open with a permit | the shop is open without a permit
the patient has a fever since sunday | the patient has no fever since sunday
both of the drivers were hurt | neither of the drivers were hurt
smoking is allowed in the hall | smoking is not allowed in the hall
the suspect is a member of the club | the suspect is a non-member of the club
the fee was paid in full | the fee wasn't paid in full
this applies to dogs on a lead | this doesn't apply to dogs on a lead
the data were available to the public | the data were unavailable to the public
the two events are related | the two events are unrelated
he said the offer was accepted | he said the offer was rejected
the river is likely to rise | the river is unlikely to rise
the witness did see the car | the witness did not see the car
the plan will be completed in may | the plan won't be completed in may`},
	{"negation, Chinese", false, chinese, `该公司同意这项收购方案 | 该公司不同意这项收购方案
该患者有发热症状 | 该患者没有发热症状
他已经通过这次考试 | 他未通过这次考试
游客可以进入展区拍照 | 游客不可进入展区拍照
会员可以免费参加活动 | 非会员可以免费参加活动
请在此处停放车辆 | 请勿在此处停放车辆
办理时需要提供身份证 | 办理时无需提供身份证
这种药物对儿童安全 | 这种药物对儿童不安全
两起事件有关联 | 两起事件无关联
这项规定适用于个人 | 这项规定不适用于个人
事故造成人员伤亡 | 事故未造成人员伤亡
该消息属实 | 该消息不属实
他打算参加明年的选举 | 他不打算参加明年的选举
警方已经找到失踪者 | 警方没有找到失踪者
请大家相信这条消息 | 请大家别相信这条消息`},
	{"looks like negation", true, prose[:3], `the note was sent to the members of the club | the notes were sent to the members of the club
the united team won the match at home | the united teams won the match at home
the nonstop flight leaves at noon from here | the non-stop flight leaves at noon from here
the unit was moved to the new hall by truck | the units were moved to the new hall by truck
the notice was put up at the gate of the park | the notices were put up at the gate of the park
nobody was hurt in the fire at the mill | no one was hurt in the fire at the mill
the university opened its library to the town | the universities opened their library to the town
the noted author read from the new book | the noted authors read from the new book
the union called off the strike of the drivers | the unions called off the strike of the drivers
the under-secretary met the press at noon | the undersecretary met the press at noon`},
	{"looks like negation, Chinese", true, chinese, `经济不断发展,生活越来越好 | 经济不断发展,生活越来越好了
现场无人受伤,交通已经恢复 | 现场没有人受伤,交通已经恢复
非常感谢大家的支持 | 非常感谢大家的支持啊
未来三年将建成新校区 | 未来三年将会建成新校区
无论天气如何活动照常举行 | 不论天气如何活动照常举行`},
}

// each calls do with the clean texts of each pair.
func (k *kind) each(do func(a, b string)) {
	clean := text.Default()
	for line := range strings.Lines(k.pairs) {
		a, b, _ := strings.Cut(strings.TrimSpace(line), " | ")
		for _, frame := range k.frames {
			do(clean.Clean(strings.Replace(frame, "%", a, 1)), clean.Clean(strings.Replace(frame, "%", b, 1)))
		}
	}
}

// kindMethods lists the methods whose answers are counted.
var kindMethods = []string{"auto", "minhash", "jaccard", "simhash"}

// printKinds prints how these pairs are decided, and which of them auto gets wrong.
func printKinds(out io.Writer) error {
	var all []neardup.Method
	for _, name := range kindMethods {
		m, err := methods.New(name)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	fmt.Fprintf(out, "| kind | should be | pairs | %s | equal once cleaned |\n|---|---|---|%s---|\n", strings.Join(kindMethods, " | "), strings.Repeat("---|", len(all)))
	var wrong []string
	for _, k := range kinds {
		n, equal, found := 0, 0, make([]int, len(all))
		k.each(func(a, b string) {
			n++
			if a == b {
				equal++
			}
			for i, m := range all {
				match := m.Compare(m.Prepare(a), m.Prepare(b))
				if match.Near || a == b {
					found[i]++
				}
				if i == 0 && (match.Near || a == b) != k.same {
					wrong = append(wrong, fmt.Sprintf("- %s, %.2f: %q / %q\n", k.name, match.Similarity, a, b))
				}
			}
		})
		should := "different"
		if k.same {
			should = "same"
		}
		fmt.Fprintf(out, "| %s | %s | %d |", k.name, should, n)
		for _, f := range found {
			fmt.Fprintf(out, " %d |", f)
		}
		fmt.Fprintf(out, " %d |\n", equal)
	}
	fmt.Fprintf(out, "\nThe numbers are of pairs that are called duplicates. Wrong by auto:\n\n%s", strings.Join(wrong, ""))
	return nil
}
