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
local function resize(st, leader, by, made)
  local P = st.P
  local n = (made and 0 or members(P, leader)) + by
  if n ~= 1 then
    call('ZADD', P .. 'g', 0 - n, six(leader))
  elseif not made then
    call('ZREM', P .. 'g', six(leader))
  end
  st.members = st.members + by
end

-- log writes the entry of the next change. c has kind, leader, nid, heat, request,
-- blob, perhaps article and text, and what became of the kept copy; renamed says which nids of its evidence are no longer
-- those of their leaders.
local function log(st, c)
  st.seq = st.seq + 1
  st.change = st.seq
  local leader = c.leader
  if type(leader) == 'number' then leader = format('%d', leader) end
  local fields = {'k', c.kind, 'L', leader, 'n', c.nid, 'h', c.heat, 'r', c.request, 'x', c.renamed or '', 'e', c.blob}
  call('XADD', st.P .. 'l', st.seq .. '-0', unpack(fields))
  if (c.article or c.keeps) and not st.restores and call('EXISTS', st.P .. 'c') == 1 then
    local keeps = c.keeps or SAME
    if c.article then keeps = keeps .. string4(c.article) .. c.text end
    call('SET', st.P .. 'o' .. st.seq, keeps)
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
  local n, record = #a[22] / 16, six(seq)
  for i = 1, #a[18], 8 do
    n = n + 1
    put(st, a, n, sub(a[18], i, i + 7), record)
  end
  st.leaders = st.leaders + 1
  if a[21] ~= '' then call('ZADD', P .. 'x', 0, a[21] .. six(seq)) end
end

-- told: did name n lead to the leader when it was looked up, and does still? The offset of one that did is '='.
local function told(st, a, n, leader)
  return still(st, n) and a[32 + 3 * n] == '=' and leader == tonumber(a[6])
end

-- point makes the names 13 lead to the leader, and returns those that did not.
local function point(st, a, seq, leader)
  local mine, seen, names, record = {}, {}, a[13], six(seq) .. six(leader)
  for i = 1, #names, 16 do
    local name, n = sub(names, i, i + 15), (i + 15) / 16
    if not seen[name] and not told(st, a, n, leader) and not leads(st, name, leader) then
      put(st, a, n, name, record)
      mine[#mine + 1] = name
    end
    seen[name] = true
  end
  return mine
end
