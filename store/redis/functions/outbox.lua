-- unload drops texts: 1 the change up to which that is done, 2 the leaders whose texts
-- go, 6 bytes each, 3 leaders and changes whose texts are gone where they are the kept ones, 6 each.
local function unload(keys, a)
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

-- arguments: sink, change or -1 to attach, -2 to detach. answer: 'ok' and what it had acknowledged.
local function acknowledge(keys, a)
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
    local keys = {}
    while n <= upto and #keys < 100 do
      if jump[n] then
        n = jump[n]
      else
        keys[#keys + 1], n = P .. 'o' .. n, n + 1
      end
    end
    if #keys > 0 then call('UNLINK', unpack(keys)) end
    left = left - 100
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

register('unload', unload, {'allow-oom'})
register('trim', trim, {'allow-oom'})
register('acknowledge', acknowledge, {'allow-oom'})
