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
