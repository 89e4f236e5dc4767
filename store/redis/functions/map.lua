-- The maps: from fields to what was posted under them, in packed buckets. There are
-- four: of keys, fields of 8 bytes, to changes (6); of names, 16, to changes and
-- leaders (6 + 6); of idempotency keys, 17, to a change (6); of nids of articles that
-- were filed, 7, to their changes (6), in any order. A bucket is one string
-- of entries of one width, so that Redis spends its bytes on entries, and a look-up
-- reads many buckets by one call, and seeks in them itself.
--
-- Buckets are numbered by the last bits of their fields, and there are as many as
-- linear hashing makes of the entries. So a bucket knows these bits of all its
-- fields, and an entry is the field without the whole bytes among them, then the
-- record: nothing is cut off that is not known, and no other field is ever found.
-- An entry of a key takes 14 bytes in an index of less than 256 buckets, 12 from 65,536 on.
--
-- Entries of a bucket lie newest first. Before them are zeros, as many as the
-- allocator would have left unused, so that the next entries are written in their
-- place: SETRANGE, which goes to log and replicas as it is. A change looks at the
-- beginning of a bucket only, where it sees whether anything is new and what is
-- free; Lua hashes each string that it gets, byte by byte. When nothing is free the
-- bucket is written anew, and if the field has many entries by then, it is hot: they go to a
-- key of its own, oldest first, and the last entry of the field says so.

local unpackn, pack, call
local byte, ceil, find, floor, format, rep, sub

-- Maps by the bytes of their fields: the letter of their keys, what is added to the numbers of their buckets
-- where those of all maps are told apart, the bytes of a record, one that says that the field is hot, and one that was never posted.
local SIZES = {8, 16, 17, 7}
local KINDS = {
  [8] = {letter = 'k', base = 0, record = 6, hot = '\255\255\255\255\255\255', none = '\0\0\0\0\0\0'},
  [16] = {letter = 'a', base = 2 ^ 47, record = 12, hot = '\255\255\255\255\255\255\255\255\255\255\255\255', none = '\0\0\0\0\0\0\0\0\0\0\0\0'},
  [17] = {letter = 'q', base = 2 ^ 48, record = 6, hot = '\255\255\255\255\255\255', none = '\0\0\0\0\0\0'},
  [7] = {letter = 'f', base = 2 ^ 49, record = 6, hot = '\255\255\255\255\255\255', none = '\0\0\0\0\0\0'},
}

-- init comes before each function: nothing of this is there while the library loads.
local function init()
  if call then return end
  unpackn, pack, call = struct.unpack, struct.pack, redis.call
  byte, find, format, rep, sub, ceil, floor = string.byte, string.find, string.format, string.rep, string.sub, math.ceil, math.floor
end

local function six(n) return pack('>I6', n) end

local function number(s, at) return (unpackn('>I6', s, at)) end

local MOST = 48    -- bytes of the postings of a field that lie in a bucket
local FILL = 64    -- entries of a bucket in the mean
local PEEK = 16    -- entries at the beginning of a bucket that a change looks at
local HEAD = 6     -- bytes that Redis adds to a string

-- level of a map: the power of two of buckets (m) that it has at least, of its n; as
-- many bits of their fields all of them know, and the first n - m (split) and those from m on one more. How
-- many bytes of a field an entry has (head), and whether it is one less with that one more.
local function level(map)
  local _, e = math.frexp(map.n)
  local bits = e - 1
  map.m, map.bits = 2 ^ bits, bits
  map.split, map.head, map.less = map.n - map.m, map.size - floor(bits / 8), bits % 8 == 7
end

-- mapof is the map of the fields of a size, of so many buckets (n) and entries (c) as the state says.
local function mapof(st, size)
  local map = st.maps[size]
  if map.m then return map end
  local kind = KINDS[size]
  map.P, map.base, map.size, map.record, map.hot, map.none = st.P .. kind.letter, kind.base, size, kind.record, kind.hot, kind.none
  level(map)
  return map
end

-- touch notes that the change that is made writes a bucket: see "what the caller saw".
local function touch(st, bucket)
  local r = st.recent
  if r then r.young[bucket], r.marks = st.change, r.marks + 1 end
end

-- place is where a field lies: the key of the bucket, how many bytes of a field
-- an entry there begins with, the map. st.places knows those of a call.
local function place(st, field)
  local map, key = mapof(st, #field), st.places[field]
  if key and not map.less then return key, map.head, map end
  local h, head = unpackn('>I6', field, map.size - 5), map.head
  local b = h % map.m
  if b < map.split then
    b = h % (2 * map.m)
    if map.less then head = head - 1 end
  end
  key = map.P .. b
  st.places[field], st.buckets[key] = key, map.base + b
  return key, head, map
end

-- begins notes how many entries are free at the beginning of a bucket, and the last
-- change that was posted in it; false if v, the beginning, is free throughout.
local function begins(st, key, v, head, w)
  local at = find(v, '%Z')
  if not at then
    st.free[key], st.newest[key] = #v / w, 0
    return v == ''
  end
  at = at - 1 - (at - 1) % w
  st.free[key], st.newest[key] = at / w, unpackn('>I6', v, at + head + 1)
  return true
end

-- whole reads a bucket, once.
local function whole(st, key, head, w)
  local v = st.whole[key]
  if not v then
    v = call('GET', key) or ''
    st.whole[key] = v
    begins(st, key, v, head, w)
  end
  return v
end

-- peek reads the beginning of a bucket, once, and returns what begins notes.
local function peek(st, key, head, w)
  if not st.free[key] and not begins(st, key, call('GETRANGE', key, 0, PEEK * w - 1), head, w) then whole(st, key, head, w) end
  return st.free[key], st.newest[key]
end

-- store writes a bucket anew, of what is given in two parts, with room for more to what the allocator takes for it:
-- its sizes are four to a power of two.
local function store(st, key, head, w, first, rest)
  local size, entries, free = #first + #rest, '', 0
  if size == 0 then
    call('DEL', key)
  else
    local need, step = size + HEAD, 16
    while step * 8 < need do step = step * 2 end
    free = floor((ceil(need / step) * step - HEAD - size) / w)
    entries = rep('\0', free * w) .. first .. rest
    call('SET', key, entries)
  end
  st.whole[key], st.free[key] = entries, free
  st.newest[key] = size > 0 and unpackn('>I6', entries, free * w + head + 1) or 0
  touch(st, st.buckets[key])
end

-- seek is the offset in a bucket, from one on, of the next entry that begins so; nil for none.
local function seek(v, start, at, w, none)
  at = find(v, start, at, true)
  while at do
    if (at - 1) % w == 0 and sub(v, at + #start, at + w - 1) ~= none then return at end
    at = find(v, start, at + 1, true)
  end
  return nil
end

-- posted are the records of a field that its bucket has, oldest first, nil for none,
-- and whether it is hot: then there are older ones in a key of its own.
local function posted(st, field)
  local key, head, map = place(st, field)
  local w, start, all = head + map.record, sub(field, 1, head), nil
  local v = whole(st, key, head, w)
  local at = seek(v, start, 1, w, map.none)
  while at do
    local record = sub(v, at + head, at + w - 1)
    if record == map.hot then return all, true end
    all = all and record .. all or record
    at = seek(v, start, at + w, w, map.none)
  end
  return all, false
end

-- every is all records of a field, oldest first, nil for none.
local function every(st, field)
  local v, hot = posted(st, field)
  if hot then return (call('GET', st.P .. 'h' .. field) or '') .. (v or '') end
  return v
end

-- newer: was anything posted under a field after a change?
local function newer(st, field, since)
  local key, head, map = place(st, field)
  local w = map.record
  local _, newest = peek(st, key, head, head + w)
  if newest <= since then return false end
  local v, hot = posted(st, field)
  if hot and not v then v = call('GETRANGE', st.P .. 'h' .. field, -w, -1) end
  return v ~= nil and #v >= w and number(v, #v - w + 1) > since
end

-- sweep takes the entries of a field from its bucket, all, or those of one leader, and
-- says at the end whether it is hot. What stays keeps its place, newest first.
local function sweep(st, field, leader, hot)
  local key, head, map = place(st, field)
  local w, start = head + map.record, sub(field, 1, head)
  local v = whole(st, key, head, w)
  local parts, from = {}, st.free[key] * w + 1
  local at = seek(v, start, 1, w, map.none)
  while at do
    if not leader or number(v, at + w - 6) == leader or sub(v, at + head, at + w - 1) == map.hot then
      parts[#parts + 1] = sub(v, from, at - 1)
      map.c, from = map.c - 1, at + w
    end
    at = seek(v, start, at + w, w, map.none)
  end
  parts[#parts + 1] = sub(v, from)
  if hot then
    parts[#parts + 1] = start .. map.hot
    map.c = map.c + 1
  end
  store(st, key, head, w, '', table.concat(parts))
end

-- drop takes a field from its map.
local function drop(st, field) sweep(st, field, nil, false) end

-- post adds a record to a field.
local function post(st, field, record)
  local key, head, map = place(st, field)
  local w = head + map.record
  local free = peek(st, key, head, w)
  if free > 0 then
    free = free - 1
    call('SETRANGE', key, free * w, sub(field, 1, head) .. record)
    st.free[key], st.newest[key], st.whole[key] = free, number(record, 1), nil
    map.c = map.c + 1
    touch(st, st.buckets[key])
    return
  end
  -- What is posted now stays here, so that the bucket says how new it is.
  local v, hot = posted(st, field)
  if v and (hot or #v + #record > MOST) then
    call('APPEND', st.P .. 'h' .. field, v)
    sweep(st, field, nil, true)
    return post(st, field, record)
  end
  store(st, key, head, w, sub(field, 1, head) .. record, whole(st, key, head, w))
  map.c = map.c + 1
end

-- unpost takes the postings of a leader from a field.
local function unpost(st, field, leader)
  local v, hot = posted(st, field)
  if not v and not hot then return end
  if hot then
    local own, w, left = call('GET', st.P .. 'h' .. field) or '', mapof(st, #field).record, {}
    for at = 1, #own, w do
      if number(own, at + w - 6) ~= leader then left[#left + 1] = sub(own, at, at + w - 1) end
    end
    hot = #left > 0
    if hot then
      call('SET', st.P .. 'h' .. field, table.concat(left))
    else
      call('DEL', st.P .. 'h' .. field)
    end
  end
  sweep(st, field, leader, hot)
end

-- split makes a bucket more, and moves the entries that now belong there: those whose
-- fields have the next bit, which lies in the last byte that they still have.
local function split(st, map)
  local old, new, head, w, bit = map.P .. map.split, map.P .. map.n, map.head, map.head + map.record, 2 ^ (map.bits % 8)
  st.buckets[old], st.buckets[new] = map.base + map.split, map.base + map.n
  local v = whole(st, old, head, w)
  local used = #v / w - st.free[old]
  local entries, stay, go, stays, goes = {unpackn(rep('c' .. w, used), v, st.free[old] * w + 1)}, {}, {}, 0, 0
  for i = 1, used do
    local entry = entries[i]
    local bits = byte(entry, head)
    if map.less then entry = sub(entry, 1, head - 1) .. sub(entry, head + 1) end
    if bits % (2 * bit) >= bit then
      goes = goes + 1
      go[goes] = entry
    else
      stays = stays + 1
      stay[stays] = entry
    end
  end
  if map.less then head, w = head - 1, w - 1 end
  if goes > 0 or map.less and stays > 0 then
    store(st, old, head, w, '', table.concat(stay))
    if goes > 0 then store(st, new, head, w, '', table.concat(go)) end
  end
  touch(st, st.buckets[old]) -- also where nothing moved: a field may now lie in the new one
  touch(st, st.buckets[new])
  map.n, st.places = map.n + 1, {}
  level(map)
end

-- grow splits buckets until each map has as many as its entries need.
local function grow(st)
  for _, size in ipairs(SIZES) do
    local map = st.maps[size]
    while map.c > map.n * FILL do split(st, mapof(st, size)) end
  end
end
