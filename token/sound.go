package token

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// soundData says how characters are read: see sounds.py.
//
//go:embed sounds.bin
var soundData string

// reading of a character: its tone plus 8 times its syllable; 0 for none.
type reading uint16

func (r reading) syllable() reading { return r >> 3 }

// readings returns the two most common readings of a character.
func readings(r rune) (first, second reading) {
	const size = 6
	at := func(i int) rune { return rune(soundData[i])<<8 | rune(soundData[i+1]) }
	low, high := 0, len(soundData)/size
	for low < high {
		if middle := (low + high) / 2; at(middle*size) < r {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if i := low * size; i < len(soundData) && at(i) == r {
		return reading(at(i + 2)), reading(at(i + 4))
	}
	return 0, 0
}

// likeShapes are characters that look alike and are taken for each other.
const likeShapes = `己已巳 未末 土士 日曰 人入八 大太犬丈 天夭夫 干千于 王玉主 田由甲申 目且 历厉 侯候 拔拨 辨辩瓣辫 贝见 免兔 折拆析 晴睛 冒昌 栗粟 戊戌戍
	计针 茶荼 盲肓 崇祟 毫亳 刀刁 力刀 午牛 乌鸟 今令 冷泠 住往 佳隹 侍待 待持 传转 伦论 沦轮 何河 作昨 但坦 使便 俭检捡险 像象 偏编遍 傲敖 准淮 凉谅 减咸
	刺剌 券卷 劝欢 卯卵 厂广 反友 受爱 古右石 叩叨 句旬 名各 吃吹 吐肚 呆杏 味昧 品晶 哀衰 响晌 唤换 唯惟维 喝渴 嗓噪 困因囚 圆园 坏怀环 埋理 块快
	坡披 域城 堡煲 墓暮幕慕 壁璧 复夏 外处 夸奈 奋畚 妇归 姑故 娱误 嫌赚 字宇 孤狐弧 孟盂 宣宜 客容 密蜜 寒塞 导异 尤龙 尺尽 屈届 岁梦 岗岚 峰锋蜂 崖涯
	巨臣 币市 帐账 帝旁 常裳 庆厌 库厍 延廷 弛驰 彻砌 径经轻 徒徙 微徽 忘忌 快决 怒恕 很狠 悔侮 情清请 惊凉 愉偷输 慢漫 慨概 戴载裁栽 扒趴 打灯
	扰优 技枝 抄炒吵 抓爪 投没 抗杭坑 抢枪 抱跑 抽油 担但 拖施 招召 拌伴 拘狗 拳券 持特 挑桃跳 挠烧绕 挺艇 捉促 捕铺 授援 排徘 探深 接按 推堆 提题 搏博 摇遥
	操燥澡 支技 收牧 敞敝 斥斤 斩折 施拖 旅族 既即 旦且 早旱 明朋 昂昴 易昜 映昳 春舂 晓绕 普晋 暖援 曳电 更便 木本 杆秆 杏呆 村材 束柬 杨扬肠 板版 枚玫 枉柱
	柏拍 查杳 标际 栓拴 校较 株珠 格洛 桔结 桶捅 梁粱 梅海 检险 棍混 楼搂 榜傍 概溉 模摸 次欠 欧鸥 歉谦 止正 殴欧 母毋 比此 氏民 水冰 永氷 汗汁 沉沈 没设 沾粘
	治冶 泄泻 泊拍 泡抱 波坡 泳咏 洒酒 洗选 活话 派泒 流疏 浅线 浆桨 浪狼 浑挥 消削 涂除 淘掏 添舔 清情 渐惭 温湿 渭谓 游旅 源原 滴摘 漆膝 漠模 潮朝 灌罐 灸炙 炊吹
	炼练 烂栏 热势 燥躁 爪瓜 片斤 牙芽 状壮 狗拘 狡狭 猎措 玛码 现观 球求 璋章 瓦凡 甘廿 用甩 画面 界介 留溜 疑凝 疲疫 病痛 的地得 皇黄 盆盘 直真 着看 瞪蹬 知和
	短矮 码妈 破坡 确角 碎醉 祥详 票漂 离禽 种钟 科料 租祖粗阻 秦泰奏 稍梢 穿窜 窑窖 竞竟 第弟 等寺 答塔 签鉴 管营 篮蓝 籍藉 粉纷 精情 糊湖 系糸 红江 纪记 纯钝
	纲钢岗 纹蚊 线钱 练炼 细组 终络 绍招 给拾 绝色 统流 继断 绩积 维谁 绸调 编偏 缘绿 缩宿 罚罪 耍要 考老 耳目 职积 肌饥 肘时 股服 胀账 胆担 胎抬 脉咏 脚却 脸睑 膏豪
	航般 良艮 芒茫 茎经 草早 荣荧 莫漠 菜莱 著着 蓝篮 薄簿 虑虚 虫中 蛇驼 蜡腊 血皿 街衔 衣农 补扑 袋贷 裕浴 裸棵 西酉 观现 角用 设没 访仿防 评坪 词同 诚城 误娱
	说悦 读续 课棵 谊宜 谜迷 谣遥摇 豪毫 贪贫 货贷 购构 贵遗 赢羸 赶起 足是 跑抱 路露 躬射 轨轧 转传 输愉 辛幸 达迖 迎仰 近斤 远还 连莲 迟尺 追迫 退腿 逐遂
	通诵 逢蓬 遣遗 那哪 部陪 郎朗 采彩 里理 针钉 钓钩 铃玲 铜桐 锁琐 锐税 镜境 长张 门们 闪问 间问简 闹问 防妨 陈陣 陕狭 陵棱 隔融 难滩 雷需 震振 霄宵 青清
	静净 鞍按 顷项 顺须 预项 颁颂 颗棵 题提 飞气 饭反 馆管 驰弛 驻住 骄娇 骑椅 鱼渔 鹊鹃 黑墨`

var shapes = sync.OnceValue(func() map[[2]rune]bool {
	table := map[[2]rune]bool{}
	for _, group := range strings.Fields(likeShapes) {
		for _, x := range group {
			for _, y := range group {
				table[[2]rune{x, y}] = true
			}
		}
	}
	return table
})

// apart are characters that are taken for no other that only sounds like them:
// what they say is too much.
const apart = "他她它男女南北东西左右上下不没未无非别买卖"

// sameSound reports whether two characters are read alike, tone and all, as a
// rule.
func sameSound(x, y rune) bool {
	a, _ := readings(x)
	b, _ := readings(y)
	return a == b && a != 0 && !keptApart(x, y)
}

// mistakable reports whether one of two characters may be written for the other:
// one of their readings is the same but for the tone, or they look alike.
func mistakable(x, y rune) bool {
	if shapes()[[2]rune{x, y}] {
		return true
	}
	if keptApart(x, y) {
		return false
	}
	a, a2 := readings(x)
	b, b2 := readings(y)
	a, a2, b, b2 = a.syllable(), a2.syllable(), b.syllable(), b2.syllable()
	return a != 0 && (a == b || a == b2) || a2 != 0 && (a2 == b || a2 == b2)
}

func keptApart(x, y rune) bool {
	_, m := digitOf(x)
	_, n := digitOf(y)
	return m != 0 || n != 0 || strings.ContainsRune(apart, x) || strings.ContainsRune(apart, y)
}

// misspelt reports whether two rows of Chinese characters are as long, two at
// least, and each character of one is that of the other or may be written for it,
// half of them the same.
func misspelt(x, y string, may func(x, y rune) bool) bool {
	n, same := 0, 0
	for x != "" && y != "" {
		r, i := utf8.DecodeRuneInString(x)
		q, k := utf8.DecodeRuneInString(y)
		if r == q {
			same++
		} else if !may(r, q) {
			return false
		}
		n++
		x, y = x[i:], y[k:]
	}
	return x == "" && y == "" && n >= 2 && 2*same >= n
}

// exchanged reports whether two rows of at least three characters, or two that no
// table has, are the same but for two neighbours that changed places.
func exchanged(x, y string, least int) bool {
	if len(x) != len(y) || utf8.RuneCountInString(x) < least {
		return false
	}
	for x != "" {
		r, i := utf8.DecodeRuneInString(x)
		q, k := utf8.DecodeRuneInString(y)
		if r == q {
			x, y = x[i:], y[k:]
			continue
		}
		r2, i2 := utf8.DecodeRuneInString(x[i:])
		q2, k2 := utf8.DecodeRuneInString(y[k:])
		return r == q2 && q == r2 && x[i+i2:] == y[k+k2:] && !keptApart(r, q)
	}
	return false
}
