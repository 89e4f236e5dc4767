// The words of the pages. The English ones are the keys.
import { recall, remember } from './dom.js';

const zh = {
  'Run': '运行', 'Groups': '分组', 'Decisions': '裁定', 'Threshold': '阈值', 'Check': '比对', 'Live': '实时',
  'Skip to content': '跳到正文', 'Views': '视图', 'Keys': '按键', 'Close': '关闭', 'Theme': '主题', 'Language': '语言',
  
  'Loading': '载入中', 'Nothing to show.': '没有可显示的内容。', 'As a table': '以表格显示', 'From': '起点', 'Copy': '复制', 'Copied': '已复制',
  'Documents': '文档', 'Kept': '保留', 'Removed': '移除', 'Rejected': '拒收', 'documents': '篇文档', 'groups': '个分组', 'group': '个分组',
  'the largest has {n} documents': '最大的含 {n} 篇', '{p} of all': '占全部的 {p}',
  '{n} equal to the kept text': '其中 {n} 篇与保留文本完全相同', 'Clusters': '重复组', '{n} more groups of variants': '另有 {n} 个变体分组', '{n} different texts': '{n} 篇不同文本',
  'Why documents were removed': '移除原因', 'Method': '方法', 'Reason': '依据', 'Share': '比例', 'Nothing was removed.': '没有移除任何文档。',
  'Rejected records': '被拒收的记录', 'Examples': '示例', 'No record was rejected.': '没有被拒收的记录。',
  'Similarity to the kept document': '与保留文档的相似度', 'Size of groups': '分组大小', 'Length of documents, in characters': '文档长度（字符）',
  'removed documents': '篇移除文档', 'Recall': '召回率', 'Stages': '各阶段', 'Stage': '阶段', 'Time': '用时', 'CPU': 'CPU', 'Memory': '内存',
  'Measured on {n} known pairs': '以 {n} 对已知文本对测得', 'Similarity': '相似度', 'Found': '找到', 'Pairs': '文本对', '95 % interval': '95% 置信区间',
  'Not measured on this corpus.': '未在此语料上测量。',
  'By construction': '由方法保证', 'Every pair at or above the threshold is found.': '阈值以上的所有文本对都会被找到。',
  'Of the pairs at the threshold itself {p} are found, of those above it more. Not measured on this corpus.': '恰在阈值处的文本对可找到 {p}，高于阈值的更多。未在此语料上测量。',
  'Edited copies of sampled texts': '抽样文本的改写副本', '{r} of {n} are found': '{n} 篇中找到 {r}', 'Pairs of {n} texts against {m}': '{n} 篇文本与 {m} 篇逐一比较所得的对',
  'none is near': '没有近似的', 'Near, and less than {b} above the threshold': '近似，且高于阈值不足 {b}', 'Refused, and less than {b} below it': '未判为近似，且低于阈值不足 {b}',
  'Edit': '改写', 'Tried': '次数', 'Equal when clean': '规范化后相同', 'Near': '近似', 'words inserted': '插入词语', 'words deleted': '删去词语', 'clauses exchanged': '分句换序', 'a greeting before': '加开头语',
  'a source behind': '加来源说明', 'full-width letters': '全角字符', 'traditional characters': '繁体字', 'another number': '改动数字',
  'Near, the least similar first: look at these': '判为近似，相似度最低的在前：请查看', 'Told apart, the most similar first: look at these': '未判为近似，相似度最高的在前：请查看',
  'Proof': '凭据', 'Digest': '摘要', 'Command': '命令', 'Made': '生成于', 'Version': '版本', 'Inputs': '输入',
  'Equal digests mean equal decisions, on any machine.': '摘要相同即裁定相同，与机器无关。',
  'peak {m}': '峰值 {m}', 'the largest {n} are in this file': '本文件含最大的 {n} 个',
  'Search titles, addresses and texts': '搜索标题、网址与正文', 'Find by nid, or by a whole address or title': '按 nid、完整网址或完整标题查找', 'Relation': '关系', 'any': '不限', 'copy': '相同', 'edited': '改动', 'contained': '被包含', 'variant': '变体', 'unsure': '不确定', 'overlap': '部分重合', 'new': '新文档',
  'Source': '来源', 'Size': '大小', 'from': '从', 'to': '至', 'Sort': '排序', 'Order of the input': '输入顺序', 'Length': '长度', 'Ascending': '升序', 'Descending': '降序',
  'Filters': '筛选', 'Reset': '重置', '{n} groups': '{n} 个分组', '{n} of {m} groups': '{n} / {m} 个分组', 'searching': '搜索中', 'List of groups': '分组列表', 'Lowest similarity from': '最低相似度从',
  'Open a group to see what it holds.': '打开一个分组以查看内容。', 'No group fits these filters.': '没有符合条件的分组。', 'No docId has two articles yet.': '尚无含两篇以上的 docId。', 'The run found no group.': '本次运行未发现任何分组。', 'Back to the list': '返回列表',
  'Next group': '下一组', 'Previous group': '上一组', '{n} documents': '{n} 篇文档', '{n} variants': '{n} 篇变体', 'similarity {a}': '相似度 {a}', 'similarity {a} to {b}': '相似度 {a} 至 {b}',
  'What holds this group together': '该组的共同之处', 'in all {n}': '{n} 篇皆有', 'in {n} of {m}': '{m} 篇中的 {n} 篇', 'They share no longer passage.': '没有较长的共同段落。',
  'Kept document': '保留文档', 'Duplicate': '重复', 'Variant': '变体', 'distance {n}': '距离 {n}', 'linked by {id}': '经由 {id}',
  'Side by side': '并排', 'Unfold': '展开全文', '{n} equal': '{n} 处相同', 'Show more': '显示更多', '{n} more members': '另有 {n} 篇', 'Show all': '显示全文',
  'The texts are equal.': '两文完全相同。', 'Only the first {n} characters are in this file.': '本文件仅含前 {n} 个字符。', 'The text is not kept. The service keeps texts for moderators with serve --keep-texts 168h.': '正文未保存。服务用 serve --keep-texts 168h 为审核员保存正文。', 'Variants are decided one by one.': '变体须逐一裁定。', 'Sign in with the role moderate to decide.': '请以 moderate 角色登录后再裁定。', 'No text.': '无正文。',
  'Differs in': '差异', 'numbers': '数字', 'words': '词语', 'punctuation': '标点', 'script': '繁简', 'width': '全半角', 'case': '大小写', 'spacing': '空白', 'Facts that conflict': '相互矛盾的事实',
  'Is it a duplicate?': '是否重复？', 'duplicate': '是重复', 'not a duplicate': '不是重复', 'cannot tell': '无法判断', 'Undone.': '已撤销。', 'Nothing to undo.': '没有可撤销的操作。',
  'Marked: {v}': '已标记：{v}', 'Withdrawn.': '已取消。', '{n} more members are counted, not listed.': '另有 {n} 篇只计数、未列出。',
  'Your name, for the record': '姓名（用于记录）', 'Decided': '已裁定', 'Undecided pairs keep what the run decided.': '未裁定的文本对沿用运行结果。',
  'Overrides': '覆盖文件', 'Labels': '标注', 'Audit trail': '审计记录', 'Save overrides': '保存覆盖文件', 'Save labels': '保存标注', 'Save audit trail': '保存审计记录', 'Forget all': '全部清除',
  'must-link and cannot-link pairs, for dedup --overrides': '必连与禁连文本对，用于 dedup --overrides', 'pairs with labels, for eval and tune': '带标注的文本对，用于 eval 与 tune', 'who decided what, when, before and after': '何人何时作何裁定，前后各如何',
  'Nothing is decided yet. Open a group and press d, n or u.': '尚无裁定。打开一个分组后按 d、n 或 u。', 'When': '时间', 'Who': '何人', 'Document': '文档', 'Kept document id': '保留文档编号', 'Before': '之前', 'After': '之后', 'none': '无',
  'Run again with': '再次运行', 'Forget all decisions? Save them first.': '清除所有裁定？请先保存。', 
  'this help': '本说明', 'go to a view': '切换视图', 'search': '搜索', 'next, previous': '下一个、上一个', 'open': '打开', 'back': '返回', 'next, previous group': '下一组、上一组',
  'is a duplicate': '是重复', 'is no duplicate': '不是重复', 'undo': '撤销', 'side by side, one column': '并排、单栏', 'unfold, fold': '展开、折叠', 'theme': '主题', 'language': '语言', 'save overrides': '保存覆盖文件',
  'dark': '深色', 'light': '浅色', 'Failed': '失败', 
  'Sign in': '登录', 'Sign out': '退出', 'Token': '令牌', 'neardup token makes one. It stays in this tab and is sent as a header only.': '用 neardup token 生成。仅保存在此标签页，只作为请求头发送。', 'The service does not answer.': '服务没有应答。',
  'Decisions a second': '每秒裁定数', '{n} a second': '每秒 {n}', 'docIds': 'docId', '{n} articles': '{n} 篇文章', 'articles': '篇文章', 'Requests': '请求', 'Latency': '延迟', '99 % below {s}': '99% 低于 {s}',
  'In flight': '处理中', 'requests worked on now': '正在处理的请求', 'Hot buckets': '热桶', 'submissions that met a thousand docIds': '遇到上千 docId 的提交', 'Decisions by stage': '各级裁定', 'Tenants': '租户', 'Not decided': '未裁定', 'Refused': '拒绝',
  'First text': '文本一', 'Second text; leave it empty to ask the index': '文本二（留空则查询索引）', 'Leader': '首篇', 'Verdict': '裁定', 'Edits': '编辑次数', 'Every scale': '各种尺度', 'Fingerprints': '指纹',
  '{n} of 64 bits differ. Made with the public seed, never that of an index.': '64 位中有 {n} 位不同。以公开种子生成，不用索引的种子。', 'Keywords': '关键词', 'Shared passages': '共同段落', 'Pair to label': '待标注文本对', '{n} verified pairs from {f} on. Label pairs next to the threshold; the curves and what would be removed follow.': '相似度 {f} 以上共 {n} 对已验证文本。标注阈值附近的文本对，曲线与移除数随之更新。',
  'pair {i} of {n}, {d} labelled': '第 {i} / {n} 对，已标注 {d}', 'Precision': '精确率', 'Would be removed': '将移除', 'Compared with the run': '与运行相比', '{n} kept that were removed, {m} removed that were kept': '{n} 篇由移除变保留，{m} 篇由保留变移除',
  'Save the configuration': '保存配置', 'For dedup': '用于 dedup', 'Choose': '选择', 'Precision and recall of {n} labelled pairs': '{n} 对标注的精确率与召回率', 'Label some pairs first.': '请先标注一些文本对。',
  'Shares of the labelled pairs, which were sampled by bands; recall counts what is similar at least as the floor.': '按标注的文本对计算，样本按相似度分段抽取；召回率只计下限以上的文本对。', 'What each threshold would remove': '各阈值将移除的数量',
  'at least {n} groups': '至少 {n} 个分组',
  'Kept by the service, under the name of your token: {who}': '由服务保存，署名为令牌名：{who}', 'Move': '移动', 'Moved': '已移动', 'Move back': '移回', 'by {who} from {docId}': '由 {who} 移自 {docId}',
  'Moved to {docId}': '已移至 {docId}', 'Move to another docId': '移至另一 docId', 'move to another docId': '移至另一 docId', 'A docId, or the nid of an article that has it; empty: a docId of its own': 'docId，或属于它的文章的 nid；留空则自成一组',
  'Obeyed from then on. To change an answer that was given, move the article.': '自裁定起生效。若要更改已给出的答复，请移动文章。',
  'All are duplicates': '全部是重复', 'None is a duplicate': '全部不是重复', 'Undecided only': '仅显示未裁定', '{n} of {m} decided': '已裁定 {n} / {m}', '{n} of {m} groups decided': '已裁定 {n} / {m} 个分组', '{n} pairs decided': '已裁定 {n} 对',
  '{n} marked: {v}': '已标记 {n} 篇：{v}', 'all of the group': '整组', 'Keep this one': '改为保留此篇', 'Kept from now on: {id}': '现保留：{id}', 'Its text: the service has only that of the kept article': '正文（服务只存有保留文章的正文）',
  'change': '变更', 'texts': '篇', 'pictures': '张', '1 group': '1 个分组', 'It is not kept: its text disagrees with that of the first article.': '未保留：其正文与首篇不符。', 'Of the whole group': '对整组',
  'Most alike': '最相似', 'API': '接口', 'Parameters': '参数', 'Request': '请求', 'Answer': '回答', 'Example of an answer': '应答示例', 'Its text, for a docId of its own': '正文（自成一组时需要）', 'Why': '理由',
};

// What the data says in English words of its own.
const zhData = {
  'equal text': '文本相同', 'equal url': '网址相同', 'equal title': '标题相同', 'confirmed by pictures': '图片确认', 'contained share of passages': '被包含段落的比例', override: '人工裁定', url: '网址', title: '标题', content: '正文', nid: 'nid', new: '新', duplicate: '重复', variant: '变体', leader: '首篇',
  same: '相同', other: '不同', version: '版本', facts: '事实不同', part: '部分', unsure: '无法判断',
  number: '数字', name: '名称', negation: '否定', opposite: '反义', order: '次序', more: '多出内容', stance: '立场', keyword: '短信关键词',
  coverage: '共有', length: '长度', replacement: '替换', insertion: '多出的段落', contained: '被包含', overlap: '重叠', unsure: '待定', bias: '基准', picture: '图片', images: '图片',
  'probability by the evidence of the words': '按词语证据估计的概率', 'no text': '无正文', 'sure by the evidence of the words': '按词语证据确定', none: '无',
  'jaccard of words weighted by idf': '按 idf 加权的词语 Jaccard 相似度', 'edit similarity of runes': '按字符的编辑相似度',
  read: '读取', group: '归组', compare: '比较', count: '计数', write: '写出',
};
const measures = { jaccard: 'Jaccard 相似度', cosine: '余弦相似度', containment: '包含度' };

// said is a word of the data in the language of the page: a basis, a stage, a kind
// of fact. What it does not know it leaves as it is.
export function said(s) {
  if (lang !== 'zh' || !s) return s || '';
  if (s.includes(', ')) return s.split(', ').map(said).join('，');
  const of = /^(jaccard|cosine|containment) of (\S+)$/.exec(s), bits = /^1 - distance\/(\d+) of (.+)$/.exec(s);
  return zhData[s] || (of && `${of[2]} 的${measures[of[1]]}`) || (bits && `1 − 距离/${bits[1]}（${bits[2]}）`) || s;
}

let lang = recall('language') || (navigator.language.startsWith('zh') ? 'zh' : 'en');

export const language = () => lang;

// speak sets the language of the page.
export function speak(l) {
  lang = l;
  remember('language', l);
  document.documentElement.lang = l === 'zh' ? 'zh-CN' : 'en';
}

// t says an English phrase in the language of the page; {x} are filled in.
export function t(s, values = {}) {
  return ((lang === 'zh' && zh[s]) || s).replace(/\{(\w+)\}/g, (_, k) => values[k] ?? '');
}

export const num = (n) => Number(n).toLocaleString(lang === 'zh' ? 'zh-CN' : 'en');
export const percent = (x, digits = 1) => (100 * x).toLocaleString(lang === 'zh' ? 'zh-CN' : 'en', { maximumFractionDigits: digits }) + ' %';
export const fixed = (x) => x === 1 ? '1' : Number(x).toFixed(4);

export function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let u = 0;
  for (; n >= 1024 && u < units.length - 1; u++) n /= 1024;
  return (n < 10 && u ? n.toFixed(1) : Math.round(n)) + ' ' + units[u];
}

export function seconds(s) {
  if (s >= 120) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  if (s >= 1) return s.toFixed(s < 10 ? 2 : 1) + ' s';
  return Math.round(s * 1000) + ' ms';
}
