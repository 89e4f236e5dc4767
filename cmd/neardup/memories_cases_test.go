//go:build full

package main

import (
	"testing"

	"github.com/neardup/neardup"
)

// Memories as agents write them: what was said before, what is said now, and
// whether that is the same fact.
var memoryCases = []struct {
	what, known, now string
	merge            bool
}{
	// The same fact again.
	{"a comma and an exclamation mark", "The user lives in Lisbon and works as a nurse.", "The user lives in Lisbon, and works as a nurse!", true},
	{"letter case", "Deploys of the checkout service are frozen on Fridays.", "deploys of the Checkout Service are frozen on fridays", true},
	{"a typo", "Maria asked for all invoices to be sent to the accounting department in Porto.", "Maria asked for all invoices to be sent to the acounting department in Porto.", true},
	{"two letters exchanged", "The nightly job writes its report to the archive bucket before the backup starts.", "The nightly job writes its reprot to the archive bucket before the backup starts.", true},
	{"clauses reordered", "The tests need Docker, and the linter runs before every commit.", "The linter runs before every commit, and the tests need Docker.", true},
	{"a list reordered", "Team members are Ada, Grace, Linus and Ken.", "Team members are Ken, Grace, Ada and Linus.", true},
	{"a contraction", "The client does not want phone calls before ten in the morning.", "The client doesn't want phone calls before ten in the morning.", true},
	{"a filler word", "The user really prefers dark mode in every editor.", "The user prefers dark mode in every editor.", true},
	{"a number in words", "The retry limit of the uploader is set to three attempts.", "The retry limit of the uploader is set to 3 attempts.", true},
	{"中文：标点", "用户住在上海，喜欢周末去爬山。", "用户住在上海,喜欢周末去爬山", true},
	{"中文：语气词", "项目的发布时间定在下周一上午。", "项目的发布时间就定在下周一上午了。", true},
	{"中文：错字", "客户希望所有发票都寄到财务部门的办公室。", "客户希望所有发票都寄到财务部们的办公室。", true},
	{"中文：繁体", "数据库每天凌晨两点自动备份到北京机房。", "數據庫每天凌晨兩點自動備份到北京機房。", true},
	{"中文：语序", "小王负责前端，小李负责后端。", "小李负责后端，小王负责前端。", true},
	{"a trailing note of manner", "Always run the formatter before you commit.", "Please always run the formatter before you commit.", true},
	// Another fact.
	{"another number", "The API allows 100 requests per minute for each key.", "The API allows 1000 requests per minute for each key.", false},
	{"another version", "The production cluster runs PostgreSQL 15.4 with logical replication.", "The production cluster runs PostgreSQL 16.4 with logical replication.", false},
	{"another name", "Anna is responsible for the security review of the login page.", "Peter is responsible for the security review of the login page.", false},
	{"another date", "The contract with the supplier ends on 12 March 2027.", "The contract with the supplier ends on 12 May 2027.", false},
	{"a negation", "The user is allergic to peanuts.", "The user is not allergic to peanuts.", false},
	{"the opposite", "Feature flags are enabled by default in the staging environment.", "Feature flags are disabled by default in the staging environment.", false},
	{"another decision", "We decided to store embeddings in SQLite.", "We decided to compute embeddings with fastembed.", false},
	{"roles exchanged", "Alice reports to Bob.", "Bob reports to Alice.", false},
	{"more is said", "The user has a dog.", "The user has a dog, and her landlord has just given notice that it must go by June.", false},
	{"another unit", "The session expires after 30 minutes of inactivity.", "The session expires after 30 hours of inactivity.", false},
	{"中文：另一个数字", "会议室可以容纳二十个人。", "会议室可以容纳三十个人。", false},
	{"中文：否定", "用户喜欢吃辣的菜。", "用户不喜欢吃辣的菜。", false},
	{"中文：另一个人", "张伟负责审核这个季度的预算。", "李娜负责审核这个季度的预算。", false},
	{"中文：相反", "这台服务器允许外网访问。", "这台服务器禁止外网访问。", false},
	{"中文：另一个日期", "合同将于2026年3月1日到期。", "合同将于2026年8月1日到期。", false},
}

// memoryVerdicts are the verdicts on some of them.
var memoryVerdicts = map[string]neardup.Relation{
	"letter case": neardup.Same, "another number": neardup.Variant, "a negation": neardup.Contradicts, "the opposite": neardup.Contradicts,
	"more is said": neardup.Other, "中文：否定": neardup.Contradicts, "中文：相反": neardup.Contradicts,
}

// rightMemories is how many of them must come out right.
const rightMemories = 28

// TestMemories runs agents' memories through the real command and prints wrong decisions. The table holds
// what people want, and the scorer is not fitted to it.
func TestMemories(t *testing.T) {
	a := startAgent(t, t.TempDir())
	defer a.ends()
	right, destroyed := 0, 0
	for _, c := range memoryCases {
		a.call("add", map[string]any{"id": c.what, "text": c.known})
		got, _ := a.call("check", map[string]any{"text": c.now})
		if want := memoryVerdicts[c.what]; want != "" && got.Verdict != want {
			t.Errorf("%s: verdict %s, want %s", c.what, got.Verdict, want)
		}
		merged := got.SameAs != ""
		if merged == c.merge && (!merged || got.SameAs == c.what) {
			right++
			continue
		}
		if merged {
			destroyed++
		}
		t.Logf("%s: %s", c.what, got.Says)
	}
	t.Logf("%d of %d right; %d that say something else merged", right, len(memoryCases), destroyed)
	if right < rightMemories {
		t.Errorf("%d right, want %d", right, rightMemories)
	}
}
