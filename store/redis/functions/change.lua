-- A submission. a: 1 seen, 2 kind, 3 request, 4 blob of the entry, 5 nid, 6 leader, 7 heat, 8 '1' if the
-- contents disagree, 9 article, 10 text, 11 idempotency field, 12 since, 13 names, 14 probe keys,
-- 15 nid of the leader, 16 variant, 17 its nid, 18 keys, 19 row, 20 material, 21 expires or '', 22 names
-- that must not be newer than 12, 23 how many changes may wait for the sinks, 24 of a restored change its
-- number, 25 '1' if keys may have been evicted, 26 the last rule that was known, 27 to 29 fields of 5, 15 and 17, 30
-- changes under 27 that are those of others, 31 how far the log was trimmed when 32 was read: row of 5 in the history, 33
-- the buckets of 22 and 14 as of 12, and from 34 on what was free there: see put
local function submission(st, a)
  local P, kind, leader, nid, heat, disagrees = st.P, a[2], tonumber(a[6]), a[5], a[7], a[8] == '1'
  local before = not st.restores and repeated(st, a[11], nid, a[3], a[27], a[30])
  if before then return before end
  if not st.restores and full(st, a[23]) then return {'backlog'} end
  if kind == 'duplicate' and call('HEXISTS', rowkey(P, leader), leader) == 0 then return {'ended'} end
  if not st.restores and st.ruled > tonumber(a[26]) then return {'conflict'} end
  local since = tonumber(a[12])
  hear(st, a, since)
  local n = 0
  for i = 1, #a[22], 16 do
    n = n + 1
    if not still(st, n) and newer(st, sub(a[22], i, i + 15), since) then return {'conflict'} end
  end
  for i = 1, #a[14], 8 do
    n = n + 1
    if not still(st, n) and newer(st, sub(a[14], i, i + 7), since) then return {'conflict'} end
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
  local mine = point(st, a, seq, leader)
  call('SET', P .. 'n' .. nid, member(leader, seq, heat, a[8], seq, string.char(#mine) .. table.concat(mine), a[9]))
  call('ZADD', P .. 'm' .. leader, seq, nid)
  resize(st, leader, 1, kind == 'new')
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
  resize(st, m.leader, -1)
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
  local mine = point(st, a, seq, to)
  m.leader, m.disagrees, m.moved, m.names = to, false, true, string.char(#mine) .. table.concat(mine)
  call('SET', P .. 'n' .. nid, member(to, m.seq, m.heat, flag(m), seq, m.names, m.article))
  call('ZREM', P .. 'm' .. before, nid)
  call('ZADD', P .. 'm' .. to, m.seq, nid)
  resize(st, before, -1)
  resize(st, to, 1, fresh)
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
  st.leaders = st.leaders - 1
  st.members = st.members - #nids - #left
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
  recents[st.P] = nil -- who looked before may have seen what this run of Redis does not have
  return log(st, {kind = 'epoch', leader = a[6], nid = '', heat = a[7], request = a[3], blob = a[4]})
end

local kinds = {new = submission, duplicate = submission, update = update, delete = delete, ['end'] = finish, expire = finish, forget = forget, epoch = begin, correct = correct, rule = rule}

local function commit(keys, a)
  local st = state(keys[1])
  if st.unfinished then return {'unfinished'} end
  if st.seq < tonumber(a[1]) then return {'behind', st.seq} end
  if a[25] ~= '1' and evicted() then return {'evicted'} end
  if st.seq == 0 then
    call('HSET', st.P .. 's', 'run', run())
  elseif a[2] ~= 'epoch' and came(st) then
    return {'behind', st.seq}
  end
  remember(st)
  local answer = kinds[a[2]](st, a)
  remembered(st)
  return answer
end

register('commit', commit, {})
-- What frees memory is done in a full Redis too.
register('remove', commit, {'allow-oom'})
