-- The index of a tenant: what must be decided in one step. All keys of a tenant
-- start with KEYS[1], which ends in its hash tag, so they lie in one slot.
--
--   i            identity, written once
--   u            the same, of an index that is made again and not done
--   s            hash: seq leaders members (counts), kn kc an ac qn qc fn fc (see map.lua), forgot, trimmed (last change whose
--                entry was left to a history), history (the sink that has it), oldest that waits,
--                epochs (first 6, number 8), gaps (first 6 and next 6 of numbers that were lost), unfinished, left (texts),
--                run (which run of which Redis decides: see "runs"), ruled (last rule)
--   k<bucket>    entries of keys, packed; a<bucket> of names, q<bucket> of idempotency keys, f<bucket> of what was
--                filed (see map.lua)
--   h<field>     postings of a hot field of a map
--   d<seq/128>   hash: leader -> sketch 8, time 8, expires 8
--   t<leader>    how many keys a leader has, they, and its material; nothing if that was left to the library
--   n<nid>       member: leader 6, seq 6, heat 8, flag 1 ('1' disagrees, '2' was moved, '3' both), last change of it 6,
--                names posted by it (1 + 16 each), article; unless it was left to the history: see "filed"
--   v            hash: nid of a member that was moved -> docId that a correction made for it 6 (0: none), correction
--   j            sorted set: seq -> rule of a person: seq 6, entry
--   r<leader>    names that deleted members had posted
--   m<leader>    sorted set: seq -> nid, of members that were not left to the history
--   e<leader/128> hash: leader -> kept copy: heat 8, seq 6, contested 1, change that its article came with 6
--   K<leader>    text of the kept copy, unless that was left to the library (a text that is there is never empty: its
--                first byte says its form)
--   g            sorted set: -size -> leader 6, but for docIds of one member, which are most
--   x            sorted set by bytes: expires 8, leader 6
--   l            stream: the log, ids <seq>-0
--   o<seq>       waits for the sinks: what became of the kept copy 1, and perhaps length 4 and article, text
--   c            hash: sink -> change acknowledged
--   w            nothing: see settle
--   f<sink>      who feeds a sink, for a while (outbox.go)
--
-- An error midway does not roll back, so each function makes all its checks
-- before its first write. Numbers are doubles, exact up to 2^53; strings are
-- never compared by < (that is the locale's order).

-- The kept copy stays, is this article, is no more, stays at another heat.
-- Of a correction also: it stays, or is this article, and is no more where the article was.
local SAME, THIS, NONE, HEAT, LEFT, MOVED = '\0', '\1', '\2', '\3', '\4', '\5'

local function state(P)
  local v = call('HMGET', P .. 's', 'kn', 'kc', 'an', 'ac', 'qn', 'qc', 'fn', 'fc', 'seq', 'oldest', 'unfinished', 'ruled', 'trimmed')
  return {
    P = P, maps = maps(P, v), places = {}, whole = {}, free = {}, newest = {},
    seq = tonumber(v[9] or 0), oldest = tonumber(v[10] or 1), unfinished = v[11], ruled = tonumber(v[12] or 0), trimmed = tonumber(v[13] or 0),
  }
end

-- full: do so many changes or more wait for the sinks? Numbers that were lost do not.
local function full(st, backlog)
  backlog = tonumber(backlog)
  local waiting = st.seq + 1 - st.oldest
  if backlog == 0 or waiting < backlog or call('EXISTS', st.P .. 'c') == 0 then return false end
  local gaps = call('HGET', st.P .. 's', 'gaps') or ''
  for at = 1, #gaps, 12 do
    local from, to = math.max(number(gaps, at), st.oldest), number(gaps, at + 6)
    waiting = waiting - math.max(0, to - from)
  end
  return waiting >= backlog
end

local function save(st)
  call('HSET', st.P .. 's', 'seq', st.seq, unpack(grow(st)))
end

---------------------------------------------------------------- runs

-- A Redis that was started again, restored, or made the primary may lack changes
-- that somebody has seen, and whoever calls may not be the one who has. So the run
-- that decides is part of the index: Redis draws a replication id for each, and under
-- another one nothing is decided until an epoch has begun.
local function run()
  return string.match(call('INFO', 'replication'), 'master_replid:(%x+)')
end

-- Nothing that is more than one command may be written before that (torn.go).
-- came is that run where it is not the one of the index; nil for no such doubt.
local function came(st)
  local now = run()
  if st.seq > 0 and call('HGET', st.P .. 's', 'run') ~= now then return now end
  return nil
end

-- evicted: has this Redis thrown keys away, as no index can bear? It did so before
-- now or never: what is decided here rests on all that there is.
local function evicted()
  return string.match(call('INFO', 'stats'), 'evicted_keys:(%d+)') ~= '0'
end

local function rowkey(P, leader) return P .. 'd' .. math.floor(leader / 128) end

---------------------------------------------------------------- replay

local function entry(P, seq)
  local r = call('XRANGE', P .. 'l', seq .. '-0', seq .. '-0')
  if #r == 0 then return nil end
  local f, e = r[1][2], {}
  for i = 1, #f, 2 do e[f[i]] = f[i + 1] end
  e.fields = f
  return e
end

local function epoch(P, leader)
  local v = call('HGET', P .. 's', 'epochs') or ''
  for at = #v - 13, 1, -14 do
    if number(v, at) <= leader then return string.sub(v, at + 6, at + 13) end
  end
  return '\0\0\0\0\0\0\0\0'
end

-- moved is what a person has done to a member since change seq: its docId 6 and the
-- row of v, '' for nothing.
local function moved(P, nid, seq)
  local v = call('GETRANGE', P .. 'n' .. nid, 0, 20)
  if #v < 21 or number(v, 7) ~= seq or string.byte(v, 21) < 50 then return '' end
  return string.sub(v, 1, 6) .. (call('HGET', P .. 'v', nid) or '')
end

local function receipt(P, how, seq, e)
  local since = moved(P, e.n, seq)
  local leader = tonumber(e.L)
  if since ~= '' then leader = number(since, 1) end
  return {how, seq, epoch(P, leader), e.fields, since}
end

---------------------------------------------------------------- what was filed

-- The row of a member may be left to the history. Then there is the change that it came with
-- under a keyed hash of its nid: a field of 7 bytes, the caller's. Another nid may have the same
-- field, so who asks finds out from the history whose change it is, and says which are those of others. What the
-- history has of an article that is filed does not change, but between two trims it may come back and be filed
-- once more: so who tells what it has says how far the log was trimmed when it was read.

local function filings(st, field) return st.trimmed > 0 and field ~= '' and every(st, field) or '' end

local function listed(seqs, seq)
  for at = 1, #seqs, 6 do
    if number(seqs, at) == seq then return true end
  end
  return false
end

-- filed is the first change under a field that is not known as another's, nil for none.
local function filed(st, field, others)
  local v = filings(st, field)
  for at = 1, #v, 6 do
    local seq = number(v, at)
    if not listed(others, seq) then return seq end
  end
  return nil
end

-- repeated is the answer to a submission that was made before, nil for none.
local function repeated(st, idem, nid, request, field, others)
  local seq, other
  if idem ~= '' then
    local v = every(st, idem)
    if v then seq, other = number(v, 1), 'mismatch' end
  end
  if not seq and nid ~= '' then
    local v = call('GETRANGE', st.P .. 'n' .. nid, 6, 11)
    if #v == 6 then seq = number(v, 1) else seq = filed(st, field, others) end
    other = 'taken'
  end
  if not seq then return nil end
  local e = entry(st.P, seq)
  if not e and seq <= st.trimmed then -- who asks finds the entry in the history
    if nid == '' then nid = '~' .. string.format('%.0f', seq) end
    return {'told', seq, call('HGET', st.P .. 's', 'epochs') or '', other, moved(st.P, nid, seq)}
  end
  if not e then return {'lost', seq} end
  if e.r ~= request then return {other} end
  return receipt(st.P, 'replayed', seq, e)
end

-- arguments: seen, idempotency field, nid, request, field of the nid, changes of others under it (6 each)
local function replay(keys, a)
  init()
  local st = state(keys[1])
  if st.unfinished then return {'unfinished'} end
  if st.seq < tonumber(a[1]) then return {'behind', st.seq} end
  return repeated(st, a[2], a[3], a[4], a[5], a[6]) or {'notfound'}
end

---------------------------------------------------------------- changes

-- hotter compares heat, 8 bytes in order, as two halves: a double has 53 bits.
local function hotter(a, b)
  local a1, a2 = unpackn('>I4I4', a)
  local b1, b2 = unpackn('>I4I4', b)
  if a1 ~= b1 then return a1 > b1 end
  return a2 > b2
end

local function string4(s) return pack('>I4', #s) .. s end

local function keptkey(P, leader) return P .. 'e' .. math.floor(leader / 128) end

-- keep writes what is known of a kept copy; its text is that which is there, if none is given.
local function keep(P, leader, k, text)
  call('HSET', keptkey(P, leader), leader, k.heat .. six(k.seq) .. (k.contested and '1' or '0') .. six(k.own))
  if text == '' then
    call('DEL', P .. 'K' .. leader)
  elseif text then
    call('SET', P .. 'K' .. leader, text)
  end
end

-- kept is the kept copy of a docId; own is the change that its article came with.
local function kept(P, leader)
  local v = call('HGET', keptkey(P, leader), leader)
  if not v then return nil end
  return {heat = string.sub(v, 1, 8), seq = number(v, 9), contested = string.sub(v, 15, 15) == '1', own = number(v, 16)}
end

-- textof is the text of a kept copy, '' if it was left to the library.
local function textof(P, leader) return call('GET', P .. 'K' .. leader) or '' end

local function unkeep(P, leader)
  call('HDEL', keptkey(P, leader), leader)
  call('DEL', P .. 'K' .. leader)
end

-- members is how many a docId has that lives, those that are filed included.
local function members(P, leader) return -tonumber(call('ZSCORE', P .. 'g', six(leader)) or -1) end

-- resize notes that a docId, perhaps one that is made by this change, has so many members more.
local function resize(P, leader, by, made)
  local n = (made and 0 or members(P, leader)) + by
  if n ~= 1 then
    call('ZADD', P .. 'g', 0 - n, six(leader))
  elseif not made then
    call('ZREM', P .. 'g', six(leader))
  end
  call('HINCRBY', P .. 's', 'members', by)
end

-- log writes the entry of the next change. c has kind, leader, nid, heat, request,
-- blob, perhaps article and text, and what became of the kept copy; renamed says which nids of its evidence are no longer
-- those of their leaders.
local function log(st, c)
  st.seq = st.seq + 1
  local leader = c.leader
  if type(leader) == 'number' then leader = string.format('%.0f', leader) end
  local fields = {'k', c.kind, 'L', leader, 'n', c.nid, 'h', c.heat, 'r', c.request, 'x', c.renamed or '', 'e', c.blob}
  call('XADD', st.P .. 'l', st.seq .. '-0', unpack(fields))
  if (c.article or c.keeps) and not st.restores and call('EXISTS', st.P .. 'c') == 1 then
    local article = ''
    if c.article then article = string4(c.article) .. c.text end
    call('SET', st.P .. 'o' .. st.seq, (c.keeps or SAME) .. article)
  end
  save(st)
  return {'ok', st.seq, epoch(st.P, tonumber(leader)), fields}
end

-- home is the docId of the article that made the leader, nil if the nid is no more
-- that of this article. Who was moved to a docId of its own made that one. What was moved is
-- not filed, so what is filed is where it came to be.
local function home(st, nid, leader, field)
  local P = st.P
  local v = call('GETRANGE', P .. 'n' .. nid, 0, 20)
  if #v < 21 then
    if listed(filings(st, field), leader) then return leader end
    return nil
  end
  local own = number(v, 7)
  if string.byte(v, 21) >= 50 then
    local made = number(call('HGET', P .. 'v', nid) or '\0\0\0\0\0\0', 1)
    if made > 0 then own = made end
  end
  if own == leader then return number(v, 1) end
  return nil
end

-- leads: does a name lead to the leader?
local function leads(st, name, leader)
  local v = every(st, name)
  for at = 7, #(v or ''), 12 do
    if number(v, at) == leader then return true end
  end
  return false
end

-- member is the row of a member as of a change; names are a count and 16 bytes each.
local function member(leader, seq, heat, flags, last, names, article)
  return six(leader) .. six(seq) .. heat .. flags .. six(last) .. names .. article
end

local function flag(m)
  return string.char(48 + (m.disagrees and 1 or 0) + (m.moved and 2 or 0))
end

local function parse(v)
  local to, flags = 28 + 16 * string.byte(v, 28), string.byte(v, 21) - 48
  return {
    leader = number(v, 1), seq = number(v, 7), heat = string.sub(v, 13, 20), disagrees = flags % 2 == 1, moved = flags >= 2,
    last = number(v, 22), names = string.sub(v, 28, to), article = string.sub(v, to + 1),
  }
end

local function read(P, nid)
  local v = call('GET', P .. 'n' .. nid)
  return v and parse(v) or nil
end

-- about is the member that a change is about, also one that is filed, which the caller tells. Or why there is
-- none: 'notfound'; 'recall', its change, how far the log is trimmed, if it is to be told.
local function about(st, a)
  local m = read(st.P, a[5])
  if m then return m end
  local seq = filed(st, a[27], a[30])
  if not seq then return nil, {'notfound'} end
  if a[32] ~= '' and tonumber(a[31]) == st.trimmed then
    m = parse(a[32])
    if m.seq == seq then
      m.filed = a[27]
      return m
    end
  end
  return nil, {'recall', seq, st.trimmed}
end

-- bring makes an article that was filed a member like others, but for its row.
local function bring(st, nid, m)
  if not m.filed then return end
  unpost(st, m.filed, m.seq)
  call('ZADD', st.P .. 'm' .. m.leader, m.seq, nid)
end

-- lead makes a leader of change seq: its row, its keys, its material.
local function lead(st, a, seq)
  local P = st.P
  call('HSET', rowkey(P, seq), seq, a[19])
  call('SET', P .. 't' .. seq, a[20])
  for i = 1, #a[18], 8 do
    post(st, string.sub(a[18], i, i + 7), six(seq))
  end
  call('HINCRBY', P .. 's', 'leaders', 1)
  if a[21] ~= '' then call('ZADD', P .. 'x', 0, a[21] .. six(seq)) end
end

-- point makes names lead to the leader, and returns those that did not.
local function point(st, names, seq, leader)
  local mine, seen = {}, {}
  for i = 1, #names, 16 do
    local name = string.sub(names, i, i + 15)
    if not seen[name] and not leads(st, name, leader) then
      post(st, name, six(seq) .. six(leader))
      mine[#mine + 1] = name
    end
    seen[name] = true
  end
  return mine
end

-- A submission. a: 1 seen, 2 kind, 3 request, 4 blob of the entry, 5 nid, 6 leader, 7 heat, 8 '1' if the
-- contents disagree, 9 article, 10 text, 11 idempotency field, 12 since, 13 names, 14 probe keys,
-- 15 nid of the leader, 16 variant, 17 its nid, 18 keys, 19 row, 20 material, 21 expires or '', 22 names
-- that must not be newer than 12, 23 how many changes may wait for the sinks, 24 of a restored change its
-- number, 25 '1' if keys may have been evicted, 26 the last rule that was known, 27 to 29 fields of 5, 15 and 17, 30
-- changes under 27 that are those of others, 31 how far the log was trimmed when 32 was read: row of 5 in the history
local function submission(st, a)
  local P, kind, leader, nid, heat, disagrees = st.P, a[2], tonumber(a[6]), a[5], a[7], a[8] == '1'
  local before = not st.restores and repeated(st, a[11], nid, a[3], a[27], a[30])
  if before then return before end
  if not st.restores and full(st, a[23]) then return {'backlog'} end
  if kind == 'duplicate' and call('HEXISTS', rowkey(P, leader), leader) == 0 then return {'ended'} end
  if not st.restores and st.ruled > tonumber(a[26]) then return {'conflict'} end
  local since = tonumber(a[12])
  for i = 1, #a[22], 16 do
    if newer(st, string.sub(a[22], i, i + 15), since) then return {'conflict'} end
  end
  for i = 1, #a[14], 8 do
    if newer(st, string.sub(a[14], i, i + 7), since) then return {'conflict'} end
  end
  -- Nothing is refused from here on.
  local seq, renamed = st.seq + 1, ''
  if kind == 'duplicate' and not st.restores then
    local at = home(st, a[15], leader, a[28])
    if at then leader = at else renamed = 'l' end
  end
  if a[16] ~= '0' and not st.restores and not home(st, a[17], tonumber(a[16]), a[29]) then renamed = 'v' end
  if nid == '' then nid = '~' .. string.format('%.0f', seq) end
  if kind == 'new' then
    leader = seq
    lead(st, a, seq)
  end
  local mine = point(st, a[13], seq, leader)
  call('SET', P .. 'n' .. nid, member(leader, seq, heat, a[8], seq, string.char(#mine) .. table.concat(mine), a[9]))
  call('ZADD', P .. 'm' .. leader, seq, nid)
  resize(P, leader, 1, kind == 'new')
  if a[11] ~= '' then post(st, a[11], six(seq)) end
  local keeps = nil
  if not disagrees then
    local old = kind == 'duplicate' and kept(P, leader) or nil
    if not old or hotter(heat, old.heat) then
      local contested = kind == 'duplicate'
      if old then contested = old.contested end
      keep(P, leader, {heat = heat, seq = seq, contested = contested, own = seq}, a[10])
      keeps = THIS
    end
  end
  return log(st, {kind = kind, leader = leader, nid = nid, heat = heat, request = a[3], blob = a[4], renamed = renamed, article = a[9], text = a[10], keeps = keeps})
end

-- a: as a submission; 7 '' if the heat stays, 10 '' or '=' and the text, 6 the leader that a text was judged by.
local function update(st, a)
  local P, nid = st.P, a[5]
  local m, why = about(st, a)
  if not m then return why end
  local whole = a[10] ~= ''
  if whole and m.leader ~= tonumber(a[6]) then return {'conflict'} end
  local k = kept(P, m.leader)
  local mine = k and k.own == m.seq
  if (whole or mine) and full(st, a[23]) then return {'backlog'} end
  local text, seq = string.sub(a[10], 2), st.seq + 1
  if a[7] ~= '' then m.heat = a[7] end
  if whole then m.disagrees = a[8] == '1' end
  local disagrees = m.disagrees
  bring(st, nid, m)
  call('SET', P .. 'n' .. nid, member(m.leader, m.seq, m.heat, flag(m), seq, m.names, m.article))
  local article, keeps = nil, nil
  if whole then article = m.article end
  if mine then
    if whole and disagrees then
      unkeep(P, m.leader)
      keeps = NONE
    else
      k.contested = k.contested or hotter(k.heat, m.heat)
      k.heat = m.heat
      if whole then k.seq = seq end
      keep(P, m.leader, k, whole and text or nil)
      if not whole then text = textof(P, m.leader) end
      article, keeps = m.article, whole and THIS or HEAT
    end
  elseif not disagrees and whole and (not k or hotter(m.heat, k.heat)) then
    keep(P, m.leader, {heat = m.heat, seq = seq, contested = not k or k.contested, own = m.seq}, text)
    keeps = THIS
  elseif not disagrees and k and hotter(m.heat, k.heat) and not k.contested then
    k.contested = true
    keep(P, m.leader, k)
  end
  return log(st, {kind = 'update', leader = m.leader, nid = nid, heat = m.heat, request = a[3], blob = a[4], article = article, text = text, keeps = keeps})
end

local function delete(st, a)
  local P, nid = st.P, a[5]
  local m, why = about(st, a)
  if not m then return why end
  bring(st, nid, m)
  if #m.names > 1 then call('APPEND', P .. 'r' .. m.leader, string.sub(m.names, 2)) end
  call('DEL', P .. 'n' .. nid)
  if m.moved then call('HDEL', P .. 'v', nid) end
  call('ZREM', P .. 'm' .. m.leader, nid)
  resize(P, m.leader, -1)
  local k = kept(P, m.leader)
  local keeps = nil
  if k and k.own == m.seq then
    unkeep(P, m.leader)
    keeps = NONE
  end
  return log(st, {kind = 'delete', leader = m.leader, nid = nid, heat = a[7], request = a[3], blob = a[4], keeps = keeps})
end

-- correct moves a member. a: as a submission; 6 the docId it goes to, 0 for one that is made; 9 the docId that it has,
-- 10 '' or '=' and its text, 11 the correction, but for what is known here
local function correct(st, a)
  local P, nid, seq, to, fresh = st.P, a[5], st.seq + 1, tonumber(a[6]), a[19] ~= ''
  local m, why = about(st, a)
  if not m then return why end
  local before = tonumber(a[9])
  if m.leader ~= before then return {'conflict'} end
  if not fresh and before == to then return {'invalid'} end
  if not fresh and call('HEXISTS', rowkey(P, to), to) == 0 then return {'ended'} end
  if not st.restores and full(st, a[23]) then return {'backlog'} end
  local old = kept(P, before)
  local left = old and old.own == m.seq
  local was = left and textof(P, before)
  if was == '' and a[10] == '' then return {'conflict'} end -- it was left to the library just now
  -- Nothing is refused from here on.
  bring(st, nid, m)
  if fresh then
    to = seq
    lead(st, a, seq)
  end
  local own = m.moved and string.sub(call('HGET', P .. 'v', nid) or '', 1, 6) or ''
  if fresh then own = six(seq) elseif #own < 6 then own = six(0) end
  call('HSET', P .. 'v', nid, own .. six(seq) .. six(before) .. a[11])
  if #m.names > 1 then call('APPEND', P .. 'r' .. before, string.sub(m.names, 2)) end
  local mine = point(st, a[13], seq, to)
  m.leader, m.disagrees, m.moved, m.names = to, false, true, string.char(#mine) .. table.concat(mine)
  call('SET', P .. 'n' .. nid, member(to, m.seq, m.heat, flag(m), seq, m.names, m.article))
  call('ZREM', P .. 'm' .. before, nid)
  call('ZADD', P .. 'm' .. to, m.seq, nid)
  resize(P, before, -1)
  resize(P, to, 1, fresh)
  -- The text goes along, where it is that of the kept copy, and competes.
  local k, text, known, keeps = not fresh and kept(P, to) or nil, '', fresh, nil
  if left then
    unkeep(P, before)
    text, known, keeps = was, true, LEFT
  end
  if a[10] ~= '' then text = string.sub(a[10], 2) end
  local hot = not k or hotter(m.heat, k.heat)
  if known and hot then
    keep(P, to, {heat = m.heat, seq = seq, contested = not fresh and (not k or k.contested), own = m.seq}, text)
    keeps = left and MOVED or THIS
  else
    text = ''
    if k and hot and not k.contested then
      k.contested = true
      keep(P, to, k)
    end
  end
  return log(st, {kind = 'correct', leader = to, nid = nid, heat = m.heat, request = a[3], blob = a[4], article = m.article, text = text, keeps = keeps})
end

-- rule notes what a person says of two articles.
local function rule(st, a)
  if not st.restores and st.ruled > tonumber(a[26]) then return {'conflict'} end
  st.ruled = st.seq + 1
  call('HSET', st.P .. 's', 'ruled', st.ruled)
  call('ZADD', st.P .. 'j', st.ruled, six(st.ruled) .. string.char(#a[5] % 256, math.floor(#a[5] / 256)) .. a[5] .. a[4])
  return log(st, {kind = 'rule', leader = 0, nid = a[5], heat = a[7], request = a[3], blob = a[4]})
end

-- gather adds to names those of the filed members of a docId that the caller tells of, field 7, seq 6, names
-- (1 + 16 each), and returns fields and changes; or why not all are told.
local function gather(st, a, count, names)
  if count == 0 then return {} end
  if a[31] == '' or tonumber(a[31]) ~= st.trimmed then return nil, {'recall', a[6], st.trimmed} end
  local all, at, v = {}, 1, a[32]
  while at <= #v do
    local field, seq, n = string.sub(v, at, at + 6), number(v, at + 7), string.byte(v, at + 13)
    if listed(filings(st, field), seq) then
      all[#all + 1] = {field, seq}
      names[#names + 1] = string.sub(v, at + 14, at + 13 + 16 * n)
    end
    at = at + 14 + 16 * n
  end
  if #all ~= count then return nil, {'untold'} end
  return all
end

-- keysof are the keys of a leader, as its material has them; nil if that was left to the library.
local function keysof(P, leader)
  local v, n, unit, at = call('GETRANGE', P .. 't' .. leader, 0, 9), 0, 1, 0
  if v == '' then return nil end
  local b
  repeat
    at = at + 1
    b = string.byte(v, at) or 0
    n, unit = n + b % 128 * unit, unit * 128
  until b < 128
  return n == 0 and '' or call('GETRANGE', P .. 't' .. leader, at, at + 8 * n - 1)
end

-- finish ends a docId with all that belongs to it. a: as a submission; 19 '1' if the caller has made its keys again, 18,
-- 32 its members in the history
local function finish(st, a)
  local P, leader = st.P, tonumber(a[6])
  local row = call('HGET', rowkey(P, leader), leader)
  if not row then return {'gone'} end -- the log says whether it ever was
  local keys = a[19] == '1' and a[18] or keysof(P, leader)
  if not keys then return {'keyless'} end
  local nids = call('ZRANGE', P .. 'm' .. leader, 0, -1)
  local names = {call('GET', P .. 'r' .. leader) or ''}
  local left, why = gather(st, a, members(P, leader) - #nids, names)
  if not left then return why end
  for _, f in ipairs(left) do unpost(st, f[1], f[2]) end
  for _, nid in ipairs(nids) do
    local m = read(P, nid)
    names[#names + 1] = string.sub(m.names, 2)
    if m.moved then call('HDEL', P .. 'v', nid) end
    call('DEL', P .. 'n' .. nid)
  end
  names = table.concat(names)
  for i = 1, #names, 16 do unpost(st, string.sub(names, i, i + 15), leader) end
  for i = 1, #keys, 8 do unpost(st, string.sub(keys, i, i + 7), leader) end
  unkeep(P, leader)
  call('DEL', P .. 'm' .. leader, P .. 't' .. leader, P .. 'r' .. leader)
  call('HDEL', rowkey(P, leader), leader)
  call('ZREM', P .. 'g', six(leader))
  local expires = string.sub(row, 17, 24)
  call('ZREM', P .. 'x', expires .. six(leader))
  call('HINCRBY', P .. 's', 'leaders', -1)
  -- '-0' is no integer to Redis, and an error here would leave half a change.
  local gone = #nids + #left
  if gone > 0 then call('HINCRBY', P .. 's', 'members', -gone) end
  return log(st, {kind = a[2], leader = leader, nid = '', heat = a[7], request = a[3], blob = a[4], keeps = NONE})
end

-- forget drops idempotency keys. a: as a submission; 6 the last change, 18 fields of 17 bytes
local function forget(st, a)
  local upto = math.min(tonumber(a[6]), st.seq)
  for i = 1, #a[18], 17 do
    local field = string.sub(a[18], i, i + 16)
    local v = every(st, field)
    if v and number(v, 1) <= upto then
      drop(st, field)
    end
  end
  local forgot = tonumber(call('HGET', st.P .. 's', 'forgot') or 0)
  call('HSET', st.P .. 's', 'forgot', math.max(forgot, upto))
  return log(st, {kind = 'forget', leader = upto, nid = '', heat = a[7], request = a[3], blob = a[4]})
end

-- begin begins an epoch after change 12: 5 its number, 8 bytes, 6 the same in decimal.
-- Of many who want it one does.
local function begin(st, a)
  local past = tonumber(a[12])
  if st.seq > past then
    if not came(st) then return {'ok'} end
    past = st.seq
  end
  local epochs = call('HGET', st.P .. 's', 'epochs') or ''
  local gaps = call('HGET', st.P .. 's', 'gaps') or ''
  if past > st.seq then call('HSET', st.P .. 's', 'gaps', gaps .. six(st.seq + 1) .. six(past + 1)) end
  st.seq = past
  call('HSET', st.P .. 's', 'epochs', epochs .. six(st.seq + 1) .. a[5], 'run', run())
  return log(st, {kind = 'epoch', leader = a[6], nid = '', heat = a[7], request = a[3], blob = a[4]})
end

local kinds = {new = submission, duplicate = submission, update = update, delete = delete, ['end'] = finish, expire = finish, forget = forget, epoch = begin, correct = correct, rule = rule}

local function commit(keys, a)
  init()
  local st = state(keys[1])
  if st.unfinished then return {'unfinished'} end
  if st.seq < tonumber(a[1]) then return {'behind', st.seq} end
  if a[25] ~= '1' and evicted() then return {'evicted'} end
  if st.seq == 0 then
    call('HSET', st.P .. 's', 'run', run())
  elseif a[2] ~= 'epoch' and came(st) then
    return {'behind', st.seq}
  end
  return kinds[a[2]](st, a)
end

-- settle writes what changes nothing, so that who made it can wait until that, and
-- all before it, is on the disks of the replicas.
local function settle(keys, a)
  init()
  call('SET', keys[1] .. 'w', '')
  return {'ok'}
end

-- stats: 'ok', seq, leaders, members, epochs, 1 if an epoch has to begin
local function stats(keys, a)
  init()
  local st = state(keys[1])
  local v = call('HMGET', st.P .. 's', 'leaders', 'members', 'epochs')
  local doubt = 0
  if not st.unfinished and came(st) then doubt = 1 end
  return {'ok', st.seq, tonumber(v[1] or 0), tonumber(v[2] or 0), v[3] or '', doubt}
end

-- row tells of an article: 1 nid, 2 its field, 3 changes of others under that. answer: 'ok', its row, or ''; the
-- change that it came with, or that of another, if it is filed, or 0; how far the log is trimmed.
local function row(keys, a)
  init()
  local st = state(keys[1])
  local v = call('GET', st.P .. 'n' .. a[1])
  return {'ok', v or '', not v and filed(st, a[2], a[3]) or 0, st.trimmed}
end

-- shelf tells of a docId: 1 it, 2 fields 7 and changes 6. answer: 'ok', how far the log is trimmed, how many
-- members it has, how many of them are not filed, '1' for each of 2 that is filed and '0' for others.
local function shelf(keys, a)
  init()
  local st, flags = state(keys[1]), {}
  for at = 1, #a[2], 13 do
    flags[#flags + 1] = listed(filings(st, string.sub(a[2], at, at + 6)), number(a[2], at + 7)) and '1' or '0'
  end
  return {'ok', st.trimmed, members(st.P, tonumber(a[1])), call('ZCARD', st.P .. 'm' .. a[1]), table.concat(flags)}
end

-- copy tells of a kept copy: 1 its docId. answer: 'ok', what is known of it, its text if that is here; nid
-- and row of its article, '' for one that is not here; nothing for none.
local function copy(keys, a)
  init()
  local P, leader = keys[1], a[1]
  local known = call('HGET', keptkey(P, tonumber(leader)), leader)
  if not known then return {'ok'} end
  local own = string.format('%.0f', number(known, 16))
  local nid = call('ZRANGEBYSCORE', P .. 'm' .. leader, own, own)[1] or ''
  local row = nid ~= '' and call('GET', P .. 'n' .. nid) or ''
  return {'ok', known, call('GET', P .. 'K' .. leader) or '', nid, row}
end

---------------------------------------------------------------- an index that is made again

-- again begins it, or goes on: 1 identity. An index without changes makes way.
local function again(keys, a)
  init()
  local st, P = state(keys[1]), keys[1]
  local before = call('GET', P .. 'u')
  if before == a[1] then return {'ok', st.seq} end
  if before or st.seq > 0 then return {'occupied'} end
  call('DEL', P .. 'i', P .. 's', P .. 'c')
  call('HSET', P .. 's', 'unfinished', 1)
  call('SET', P .. 'u', a[1])
  return {'ok', 0}
end

-- unload drops texts: 1 the change up to which that is done, 2 the leaders whose texts
-- go, 6 bytes each, 3 leaders and changes whose texts are gone where they are the kept ones, 6 each.
local function unload(keys, a)
  init()
  local st, P = state(keys[1]), keys[1]
  if st.unfinished then return {'unfinished'} end
  if came(st) then return {'behind', st.seq} end
  for at = 1, #a[2], 6 do
    call('DEL', P .. 't' .. number(a[2], at))
  end
  for at = 1, #a[3], 12 do
    local leader = number(a[3], at)
    local k = kept(P, leader)
    if k and k.seq == number(a[3], at + 6) then call('DEL', P .. 'K' .. leader) end
  end
  call('HSET', P .. 's', 'left', a[1])
  return {'ok', #a[2] / 6}
end

-- restore makes a change once more: as a change of its kind, 24 its number.
local function restore(keys, a)
  init()
  local st = state(keys[1])
  if not st.unfinished then return {'occupied'} end
  if a[2] == 'epoch' and tonumber(a[24]) > st.seq then a[12] = a[24] - 1
  elseif tonumber(a[24]) ~= st.seq + 1 then return {'unordered'} end
  st.restores = true
  return kinds[a[2]](st, a)
end

-- finished lets everybody open it: as the begin of an epoch, if 12 is not 0.
local function finished(keys, a)
  init()
  local st = state(keys[1])
  if not st.unfinished then return {'occupied'} end
  if a[12] ~= '0' then
    a[12] = math.max(tonumber(a[12]), st.seq)
    begin(st, a)
  end
  call('HDEL', st.P .. 's', 'unfinished')
  call('HSET', st.P .. 's', 'run', run())
  call('RENAME', st.P .. 'u', st.P .. 'i')
  return {'ok', st.seq}
end

---------------------------------------------------------------- outbox

-- arguments: sink, change or -1 to attach, -2 to detach. answer: 'ok' and what it had acknowledged.
local function acknowledge(keys, a)
  init()
  local st, P, sink, seq = state(keys[1]), keys[1], a[1], tonumber(a[2])
  local had = call('HGET', P .. 'c', sink)
  if seq == -1 then
    if not had then
      if call('EXISTS', P .. 'c') == 0 then call('HSET', P .. 's', 'oldest', st.seq + 1) end
      call('HSET', P .. 'c', sink, 0)
    end
    return {'ok', tonumber(had or 0)}
  end
  if not had then return {'notfound'} end
  if seq >= 0 and came(st) then return {'behind', st.seq} end
  had = tonumber(had)
  if seq == -2 then
    if st.trimmed > 0 and call('HGET', P .. 's', 'history') == sink then return {'needed'} end
    call('HDEL', P .. 'c', sink)
  elseif seq > st.seq then
    return {'behind', st.seq}
  elseif seq <= had then
    return {'ok', had}
  else
    call('HSET', P .. 'c', sink, seq)
  end
  local all, upto = call('HVALS', P .. 'c'), st.seq
  for _, v in ipairs(all) do upto = math.min(upto, tonumber(v)) end
  local oldest = tonumber(call('HGET', P .. 's', 'oldest') or 1)
  local jump, gaps = {}, call('HGET', P .. 's', 'gaps') or '' -- numbers that were lost
  for at = 1, #gaps, 12 do jump[number(gaps, at)] = number(gaps, at + 6) end
  -- So many at a time that nobody waits long; the rest goes with the next page.
  local n, left = oldest, 10000
  while n <= upto and left > 0 do
    if jump[n] then
      n = jump[n]
    else
      call('UNLINK', P .. 'o' .. n)
      n, left = n + 1, left - 1
    end
  end
  if n > oldest then call('HSET', P .. 's', 'oldest', n) end
  return {'ok', seq}
end

-- file leaves an article to the history that came with a change, if nothing happened to it after another.
local function file(st, field, seq, nid, upto)
  local m = read(st.P, nid)
  if not m or m.seq ~= seq or m.moved or m.last > upto then return end
  post(st, field, six(seq))
  call('DEL', st.P .. 'n' .. nid)
  call('ZREM', st.P .. 'm' .. m.leader, nid)
end

-- trim drops entries: 1 the sink that is the history, 2 the last that was dropped before, 3 the last that
-- is dropped now, 4 the articles of them that the history has as they are: field 7, seq 6, length 4 and nid. Where
-- others were first, or a sink does not have them, nothing is.
local function trim(keys, a)
  init()
  local st, P, upto = state(keys[1]), keys[1], tonumber(a[3])
  if st.unfinished then return {'unfinished'} end
  if not call('HGET', P .. 'c', a[1]) then return {'notfound'} end
  if came(st) then return {'behind', st.seq} end
  if st.trimmed ~= tonumber(a[2]) or #call('XRANGE', P .. 'l', upto .. '-0', upto .. '-0') == 0 then return {'ok', 0} end
  for _, v in ipairs(call('HVALS', P .. 'c')) do
    if tonumber(v) < upto then return {'ok', 0} end
  end
  local at, v = 1, a[4]
  while at <= #v do
    local n = unpackn('>I4', v, at + 13)
    file(st, string.sub(v, at, at + 6), number(v, at + 7), string.sub(v, at + 17, at + 16 + n), upto)
    at = at + 17 + n
  end
  save(st)
  call('HSET', P .. 's', 'trimmed', upto, 'history', a[1])
  return {'ok', call('XTRIM', P .. 'l', 'MINID', (upto + 1) .. '-0')}
end

redis.register_function('neardup_commit_VERSION', commit)
redis.register_function('neardup_again_VERSION', again)
redis.register_function{function_name = 'neardup_unload_VERSION', callback = unload, flags = {'allow-oom'}}
redis.register_function{function_name = 'neardup_trim_VERSION', callback = trim, flags = {'allow-oom'}}
redis.register_function('neardup_restore_VERSION', restore)
redis.register_function('neardup_finished_VERSION', finished)
redis.register_function{function_name = 'neardup_settle_VERSION', callback = settle, flags = {'allow-oom'}}
-- What frees memory is done in a full Redis too.
redis.register_function{function_name = 'neardup_remove_VERSION', callback = commit, flags = {'allow-oom'}}
redis.register_function{function_name = 'neardup_acknowledge_VERSION', callback = acknowledge, flags = {'allow-oom'}}
redis.register_function{function_name = 'neardup_stats_VERSION', callback = stats, flags = {'no-writes'}}
redis.register_function{function_name = 'neardup_row_VERSION', callback = row, flags = {'no-writes'}}
redis.register_function{function_name = 'neardup_shelf_VERSION', callback = shelf, flags = {'no-writes'}}
redis.register_function{function_name = 'neardup_copy_VERSION', callback = copy, flags = {'no-writes'}}
redis.register_function{function_name = 'neardup_replay_VERSION', callback = replay, flags = {'no-writes'}}
