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
  local st = state(keys[1])
  if st.unfinished then return {'unfinished'} end
  if st.seq < tonumber(a[1]) then return {'behind', st.seq} end
  return repeated(st, a[2], a[3], a[4], a[5], a[6]) or {'notfound'}
end

register('replay', replay, {'no-writes'})
