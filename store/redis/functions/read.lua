-- settle writes what changes nothing, so that who made it can wait until that, and
-- all before it, is on the disks of the replicas.
local function settle(keys, a)
  call('SET', keys[1] .. 'w', '')
  return {'ok'}
end

-- stats: 'ok', seq, leaders, members, epochs, 1 if an epoch has to begin
local function stats(keys, a)
  local st = state(keys[1])
  local v = call('HMGET', st.P .. 's', 'leaders', 'members', 'epochs')
  local doubt = 0
  if not st.unfinished and came(st) then doubt = 1 end
  return {'ok', st.seq, tonumber(v[1] or 0), tonumber(v[2] or 0), v[3] or '', doubt}
end

-- row tells of an article: 1 nid, 2 its field, 3 changes of others under that. answer: 'ok', its row, or ''; the
-- change that it came with, or that of another, if it is filed, or 0; how far the log is trimmed.
local function row(keys, a)
  local st = state(keys[1])
  local v = call('GET', st.P .. 'n' .. a[1])
  return {'ok', v or '', not v and filed(st, a[2], a[3]) or 0, st.trimmed}
end

-- shelf tells of a docId: 1 it, 2 fields 7 and changes 6. answer: 'ok', how far the log is trimmed, how many
-- members it has, how many of them are not filed, '1' for each of 2 that is filed and '0' for others.
local function shelf(keys, a)
  local st, flags = state(keys[1]), {}
  for at = 1, #a[2], 13 do
    flags[#flags + 1] = listed(filings(st, string.sub(a[2], at, at + 6)), number(a[2], at + 7)) and '1' or '0'
  end
  return {'ok', st.trimmed, members(st.P, tonumber(a[1])), call('ZCARD', st.P .. 'm' .. a[1]), table.concat(flags)}
end

-- copy tells of a kept copy: 1 its docId. answer: 'ok', what is known of it, its text if that is here; nid
-- and row of its article, '' for one that is not here; nothing for none.
local function copy(keys, a)
  local P, leader = keys[1], a[1]
  local known = call('HGET', keptkey(P, tonumber(leader)), leader)
  if not known then return {'ok'} end
  local own = string.format('%.0f', number(known, 16))
  local nid = call('ZRANGEBYSCORE', P .. 'm' .. leader, own, own)[1] or ''
  local row = nid ~= '' and call('GET', P .. 'n' .. nid) or ''
  return {'ok', known, call('GET', P .. 'K' .. leader) or '', nid, row}
end

register('settle', settle, {'allow-oom'})
register('stats', stats, {'no-writes'})
register('row', row, {'no-writes'})
register('shelf', shelf, {'no-writes'})
register('copy', copy, {'no-writes'})
