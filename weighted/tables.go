package weighted

import (
	"strings"
	"sync"
)

// Small tables of words that turn what a text says. Words stand as clean text
// has them: in lower case, cut at apostrophes.

const negationWords = `no not never none nor cannot without don doesn didn isn aren wasn weren wouldn shouldn couldn cant wont dont
	isnt didnt doesnt 不 没 没有 未 无 非 别 勿 不是 不会 不能 不再 并非 尚未 否认 辟谣 未能 不得`

// contractedWords are those whose negation is the t behind an apostrophe; of the
// others, as don't, what stands before the apostrophe is a negation by itself.
const contractedWords = `can won shan ain mustn needn`

// oppositeWords are pairs; each word may be in several.
const oppositeWords = `work/home yes/no up/down in/out on/off before/after win/lose wins/loses won/lost buy/sell bought/sold open/close
	opened/closed opens/closes first/last start/end starts/ends began/ended man/woman men/women he/she him/her his/her male/female
	boy/girl am/pm morning/evening morning/night left/right more/less most/least above/below over/under high/low higher/lower
	rise/fall rises/falls rose/fell up/off increase/decrease increased/decreased accept/reject accepted/rejected allow/deny
	with/without us/uk us/eu uk/eu all/none always/never today/tomorrow today/yesterday yesterday/tomorrow can/cannot enable/disable
	enabled/disabled true/false old/new north/south east/west import/export include/exclude public/private
	may/must arrive/depart arrived/left black/white good/bad best/worst hot/cold import/exports
	today/tmr tonight/tomorrow when/why when/where when/how when/what why/where why/how why/what why/who where/how where/what
	where/who how/what how/who what/who
	他/她 男/女 上/下 左/右 前/后 早/晚 开/关 进/出 买/卖 涨/跌 升/降 增/减 多/少 大/小 高/低 胜/负 赢/输 有/无 是/否 南/北 东/西
	上涨/下跌 上调/下调 上升/下降 增加/减少 增长/下降 开幕/闭幕 开始/结束 上午/下午 今天/明天 今天/昨天 昨天/明天 开盘/收盘
	买入/卖出 进口/出口 同意/拒绝 支持/反对 男子/女子 男篮/女篮 男足/女足 男排/女排 男单/女单 男双/女双 上线/下线 上市/退市
	上半年/下半年 加入/退出 结婚/离婚 入职/离职 出生/去世 视帝/视后 影帝/影后 晋级/淘汰 晋级/无缘 进/无缘 夺冠/出局 允许/禁止 公开/秘密 继续/停止
	开放/关闭 恢复/暂停 确认/否认 承认/否认 决赛/半决赛 预告/回顾 现场/路透`

// directedWords are verbs that say something else when their sides change.
const directedWords = `beats beat defeats defeated defeat over to from sues sued buys bought acquires acquired kills killed leads
	战胜 击败 打败 完胜 险胜 胜 负 输给 不敌 逆转 横扫 力克 大胜 淘汰 超越 超过 赢 起诉 收购 致 回应 批评 到 至
	单杀 击杀 绝杀 反超 领先 落后 终结 回复 喊话 点赞 致敬 举报 指责 反驳 反击 殴打 打死 杀害 撞 咬 追求 表白`

// stanceWords say who answers, denies or doubts what is stated. What only says
// that it was said (say, state) is none.
const stanceWords = `回应 否认 承认 证实 辟谣 澄清 道歉 致歉 疑似 网传 拒绝 愿意 有望 拟 denies denied confirms confirmed
	refuses refused apologises apologizes apologised apologized responds responded alleged allegedly reportedly`

// headWords stand before what a text says and are no part of it, what kind of
// news it is and a greeting; footWords behind it, thanks; sourceWords, who
// brought it, on either side.
const (
	headWords = `rt breaking update updated exclusive hi hey hello dear sir madam 快讯 突发 通知 紧急通知 最新 最新消息 独家 收评 午评 早评
	您好 你好 大家好 大家 各位 同事 同学 亲爱`
	footWords   = `thanks thank regards cheers 谢谢 感谢`
	sourceWords = `reuters afp ap bbc cnn 新华社 中新社 新华网 人民网 中新网`
)

// signWords are what signs are read as, %, $ and &, and signs are no words.
const signWords = `percent dollar dollars pound pounds euro euros and 点`

// sameWords are words in the place of which the first of their line stands: one
// word, written in several ways.
const sameWords = `今天/今日/今儿 明天/明日 昨天/昨日 周一/星期一/礼拜一 周二/星期二/礼拜二 周三/星期三/礼拜三 周四/星期四/礼拜四
	周五/星期五/礼拜五 周六/星期六/礼拜六 周日/星期日/周天/星期天/礼拜天 因为/因 如何/怎么/怎样
	you/u your/ur are/r please/pls/plz thanks/thx/tnx tomorrow/tmr/tmrw tonight/tonite/2nite because/cos/coz/cuz
	street/st road/rd avenue/ave united/utd government/govt versus/vs monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thurs friday/fri january/jan february/feb april/apr august/aug september/sep/sept october/oct november/nov december/dec`

// joiningWords join others: one in the place of a word is another way to say it.
const joiningWords = `as at by for from in into of on to`

// fillerWords are single characters that say little more: please, picture, shows.
const fillerWords = `求 图 啦 晒 全 真`

// scopeWords say how far what a notice says holds: version 2 or any later one, all
// uses except commercial ones.
const scopeWords = `later newer only except commercial noncommercial`

// versionWords stand before the number of a version.
const versionWords = `version versions v`

// textingWords stand before a word that is to be texted to a number.
const textingWords = `text txt send sms msg reply`

var stanceTable = wordSet(stanceWords)

var headTable = wordSet(headWords + " " + sourceWords)

var footTable = wordSet(footWords + " " + sourceWords)

var signTable = wordSet(signWords)

var sameTable = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for _, line := range strings.Fields(sameWords) {
		words := strings.Split(line, "/")
		for _, w := range words[1:] {
			table[w] = words[0]
		}
	}
	return table
})

// canonical returns the way to write a word that all ways are compared by.
func canonical(word string) string {
	if len(word) > mostWritten {
		return word
	}
	if w, found := sameTable()[word]; found {
		return w
	}
	return word
}

// mostWritten is the length of the longest word in sameWords, in bytes.
const mostWritten = 9

var joiningTable = wordSet(joiningWords)

var fillerTable = wordSet(fillerWords)

var scopeTable = wordSet(scopeWords)

var versionTable = wordSet(versionWords)

var textingTable = wordSet(textingWords)

var contractedTable = wordSet(contractedWords)

var negationTable = wordSet(negationWords)

var directedTable = wordSet(directedWords)

var oppositeTable = sync.OnceValue(func() map[[2]string]bool {
	table := map[[2]string]bool{}
	for _, pair := range strings.Fields(oppositeWords) {
		x, y, _ := strings.Cut(pair, "/")
		table[[2]string{x, y}], table[[2]string{y, x}] = true, true
	}
	return table
})

// wordSet returns the set of the words in a text, made when it is first asked for.
func wordSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(words) {
			set[w] = true
		}
		return set
	})
}

var endingTable = wordSet("s es ed d e ing er ers r rs ly y ies ied ion ions")

func isEnding(s string) bool { return s == "" || endingTable()[s] }

var monthTable = wordSet("january february march april may june july august september october november december")

func isMonth(word string) bool      { return monthTable()[word] }
func isNegation(word string) bool   { return negationTable()[word] }
func isDirected(word string) bool   { return directedTable()[word] }
func isContracted(word string) bool { return contractedTable()[word] }
func areOpposites(x, y string) bool { return oppositeTable()[[2]string{x, y}] }
func isOption(word string) bool     { return len(word) == 1 && 'a' <= word[0] && word[0] <= 'h' }
func isStance(word string) bool     { return stanceTable()[word] }
func isTexting(word string) bool    { return textingTable()[word] }
func isHead(word string) bool       { return headTable()[word] }
func isFoot(word string) bool       { return footTable()[word] }
func isSign(word string) bool       { return signTable()[word] }
func isJoining(word string) bool    { return joiningTable()[word] }
func isFiller(word string) bool     { return fillerTable()[word] }
func isScope(word string) bool      { return scopeTable()[word] }
func isVersion(word string) bool    { return versionTable()[word] }
func isVersus(word string) bool     { return word == "versus" }
func isRoman(word string) bool      { return romanTable()[word] }

var romanTable = wordSet("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi")
