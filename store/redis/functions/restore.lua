-- mine: 1 the identity that is there, 2 its mark. It is not written again where it is there.
local function mine(keys, a)
  if call('GET', keys[1] .. 'i') ~= a[1] then return {'another'} end
  if call('GET', keys[1] .. 'y') ~= a[2] then call('SET', keys[1] .. 'y', a[2]) end
  return {'ok'}
end

-- again begins it, or goes on: 1 identity. An index without changes makes way.
local function again(keys, a)
  local st, P = state(keys[1]), keys[1]
  local before = call('GET', P .. 'u')
  if before == a[1] then return {'ok', st.seq} end
  if before or st.seq > 0 then return {'occupied'} end
  recents[P] = nil -- of an index that was emptied and may come to the same change
  call('DEL', P .. 'i', P .. 'y', P .. 's', P .. 'c')
  call('HSET', P .. 's', 'unfinished', 1)
  call('SET', P .. 'u', a[1])
  return {'ok', 0}
end

-- restore makes a change once more: as a change of its kind, 24 its number.
local function restore(keys, a)
  local st = state(keys[1])
  if not st.unfinished then return {'occupied'} end
  if a[2] == 'epoch' and tonumber(a[24]) > st.seq then a[12] = a[24] - 1
  elseif tonumber(a[24]) ~= st.seq + 1 then return {'unordered'} end
  st.restores = true
  return kinds[a[2]](st, a)
end

-- finished lets everybody open it: as the begin of an epoch, if 12 is not 0.
local function finished(keys, a)
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

register('mine', mine, {'allow-oom'})
register('again', again, {})
register('restore', restore, {})
register('finished', finished, {})
