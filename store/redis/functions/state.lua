-- The index of a tenant: what must be decided in one step. All keys of a tenant
-- start with KEYS[1], which ends in its hash tag, so they lie in one slot.
--
--   i            identity, written once
--   y            '<P>y' and a mark of it, once a server has read it: see "register"
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

-- register names a function. KEYS[2] is what y must hold: a server whose index was lost, or gave way to
-- another, while it was running decides and reads nothing here.
local function register(name, f, flags)
  redis.register_function{function_name = 'neardup_' .. name .. '_VERSION', flags = flags, callback = function(keys, a)
    init()
    if keys[2] and call('GET', keys[1] .. 'y') ~= keys[2] then return {'another'} end
    return f(keys, a)
  end}
end

-- The kept copy stays, is this article, is no more, stays at another heat.
-- Of a correction also: it stays, or is this article, and is no more where the article was.
local SAME, THIS, NONE, HEAT, LEFT, MOVED = '\0', '\1', '\2', '\3', '\4', '\5'

local function state(P)
  local v = call('HMGET', P .. 's', 'kn', 'kc', 'an', 'ac', 'qn', 'qc', 'fn', 'fc', 'seq', 'oldest', 'unfinished', 'ruled', 'trimmed', 'run', 'leaders', 'members')
  local seq, maps = tonumber(v[9] or 0), {}
  for i = 1, 4 do
    maps[SIZES[i]] = {n = tonumber(v[2 * i - 1] or 1), c = tonumber(v[2 * i] or 0)}
  end
  return {
    P = P, was = v, maps = maps, places = {}, buckets = {}, whole = {}, free = {}, newest = {},
    seq = seq, change = seq + 1, oldest = tonumber(v[10] or 1), unfinished = v[11], ruled = tonumber(v[12] or 0), trimmed = tonumber(v[13] or 0),
    run = v[14], leaders = tonumber(v[15] or 0), members = tonumber(v[16] or 0),
  }
end

-- COUNTS are the names of what save writes, by where state has what it was.
local COUNTS = {'kn', 'kc', 'an', 'ac', 'qn', 'qc', 'fn', 'fc', 'seq', [15] = 'leaders', [16] = 'members'}

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

-- save writes the counts of the state that have changed. ('%d' is of doubles up to 2^53, and
-- costs a third of what Redis takes to print one.)
local function save(st)
  grow(st)
  local now, fields, at = {[9] = st.seq, [15] = st.leaders, [16] = st.members}, {}, 0
  for i = 1, 4 do
    local map = st.maps[SIZES[i]]
    now[2 * i - 1], now[2 * i] = map.n, map.c
  end
  for i, name in pairs(COUNTS) do
    local count = format('%d', now[i])
    if count ~= st.was[i] then
      fields[at + 1], fields[at + 2], at = name, count, at + 2
    end
  end
  if at > 0 then call('HSET', st.P .. 's', unpack(fields)) end
end

---------------------------------------------------------------- runs

-- A Redis that was started again, restored, or made the primary may lack changes
-- that somebody has seen, and whoever calls may not be the one who has. So the run
-- that decides is part of the index: Redis draws a replication id for each, and under
-- another one nothing is decided until an epoch has begun.
local function run()
  local info = call('INFO', 'replication')
  local _, at = find(info, '\nmaster_replid:', 1, true)
  return sub(info, at + 1, at + 40)
end

-- Nothing that is more than one command may be written before that (torn.go).
-- came is that run where it is not the one of the index; nil for no such doubt.
local function came(st)
  local now = run()
  if st.seq > 0 and st.run ~= now then return now end
  return nil
end

-- evicted: has this Redis thrown keys away, as no index can bear? It did so before
-- now or never: what is decided here rests on all that there is.
local function evicted()
  local info = call('INFO', 'stats')
  local _, at = find(info, '\nevicted_keys:', 1, true)
  return sub(info, at + 1, at + 2) ~= '0\r'
end

---------------------------------------------------------------- what the caller saw

-- A look-up reads buckets without a function. With the change that rests on it the caller tells
-- in which bucket each field lay, and what was free there. That is so still in each bucket that no change
-- after the look-up has written, and then nothing is read here. Which bucket was
-- written last by which change is remembered beside the data, by index, for some hundred
-- changes: up to seq, and of all after floor. It counts only while nobody else made a change, as
-- another version of these functions would. In one run of Redis, which came holds to, a number is not given twice; what was seen
-- before its epoch began (change.lua) may be of another run, and does not count.
local recents, indexes = {}, 0
local MARKS, INDEXES = 8192, 64 -- buckets of half of an index's changes, indexes: at most some 40 MB

-- remember lets a change know what was written before it, and note what it writes.
local function remember(st)
  local r = recents[st.P]
  if not r or r.seq ~= st.seq then
    if not r then indexes = indexes + 1 end
    if indexes > INDEXES then recents, indexes = {}, 1 end
    r = {floor = st.seq, turn = st.seq, marks = 0, old = {}, young = {}}
    recents[st.P] = r
  elseif r.marks > MARKS then
    r.floor, r.turn, r.marks, r.old, r.young = r.turn, st.seq, 0, r.young, {}
  end
  r.seq = nil -- an error midway leaves it so
  st.recent = r
end

-- remembered ends a change that was made, or refused.
local function remembered(st) st.recent.seq = st.seq end

-- hear takes what the caller saw after a change, 33: the buckets of fields, 6 bytes each.
local function hear(st, a, since)
  st.since, st.told = since, #a[33] / 6
  if st.told > 0 and st.recent and since >= st.recent.floor then
    st.seen = {unpackn('>' .. rep('I6', st.told), a[33])}
  end
end

-- still: is the bucket of the n-th of these fields what it was?
local function still(st, n)
  local b = st.seen and n <= st.told and st.seen[n]
  return b and (st.recent.young[b] or st.recent.old[b] or 0) <= st.since
end

-- put posts a record under the n-th of these fields, where there was room and is still. From 34 on the arguments
-- have of each that may be posted the key of its bucket, the offset of the entry, and how it begins; the offset is
-- '' where there is no room, and '=' where the field led to leader 6 as it is.
local function put(st, a, n, field, record)
  local at = 31 + 3 * n
  local offset = still(st, n) and a[at + 1] or ''
  if offset == '' or offset == '=' then
    if offset == '' and still(st, n) then -- it is full
      local key, head, map = place(st, field)
      whole(st, key, head, head + map.record)
    end
    return post(st, field, record)
  end
  local key, map = a[at], st.maps[#field]
  call('SETRANGE', key, offset, a[at + 2] .. record)
  st.free[key], st.newest[key], st.whole[key] = nil, nil, nil
  map.c = map.c + 1
  touch(st, st.seen[n])
end

local function rowkey(P, leader) return P .. 'd' .. math.floor(leader / 128) end
