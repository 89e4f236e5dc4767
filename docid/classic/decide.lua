-- Decides on one article, from the look-up to the last write, in one step.
-- KEYS: INDEX, DOCIDS, SINKS, OUTBOX, nid, url, title, four blocks of the content; '' for what the article lacks.
-- ARGV: the last change seen, the bound on the outbox, nid, digest of the request, heat as 16 hex digits that sort,
-- both halves of the content's signature, the article.
local index, docids, sinks, outbox, nid, url, title = unpack(KEYS)
local high, low = tonumber(ARGV[6]), tonumber(ARGV[7])

-- How many bits of 32 are set, of more than three some.
local function ones(x)
  local n = 0
  while x ~= 0 and n < 4 do
    x, n = bit.band(x, x - 1), n + 1
  end
  return n
end

-- A block holds 16 bytes for each docId: its signature, its number.
local function nearest()
  local leader, distance = false, 4
  for i = 8, 11 do
    local block = KEYS[i] ~= '' and redis.call('GET', KEYS[i]) or ''
    for at = 1, #block, 16 do
      local h, l, up, down = struct.unpack('>I4I4I4I4', block, at)
      local d, n = ones(bit.bxor(h, high)) + ones(bit.bxor(l, low)), up * 4294967296 + down
      if d < distance or d == distance and d < 4 and n < leader then
        leader, distance = n, d
      end
    end
  end
  return leader and string.format('%.0f', leader), distance
end

if tonumber(redis.call('HGET', index, 'seq') or 0) < tonumber(ARGV[1]) then return redis.error_reply('BEHIND') end
local was = nid ~= '' and redis.call('GET', nid)
if was then
  return string.sub(was, 1, 32) == ARGV[4] and 'again ' .. string.sub(was, 33) or redis.error_reply('TAKEN')
end
local fed = redis.call('EXISTS', sinks) == 1
if fed and tonumber(ARGV[2]) > 0 and redis.call('XLEN', outbox) >= tonumber(ARGV[2]) then return redis.error_reply('BACKLOG') end

local leader, stage, distance = url ~= '' and redis.call('GET', url), 'url', -1
if not leader then
  leader, stage, distance = title ~= '' and redis.call('GET', title), 'title', 0
end
if not leader then
  stage, leader, distance = 'content', nearest()
end

local seq = redis.call('HINCRBY', index, 'seq', 1)
local name = ARGV[3] ~= '' and ARGV[3] or string.format('~%.0f', seq)
local keeps, heat = 'this', ''
if leader then
  heat, name = string.match(redis.call('HGET', docids, leader), '^(%x+) (.*)$')
  keeps = ARGV[5] > heat and 'this' or 'same'
else
  leader, stage, distance = string.format('%.0f', seq), 'new', -1
  redis.call('HINCRBY', index, 'docids', 1)
  if url ~= '' then redis.call('SET', url, leader) end
  if title ~= '' then redis.call('SET', title, leader) end
  local entry = struct.pack('>I4I4I4I4', high, low, math.floor(seq / 4294967296), seq % 4294967296)
  for i = 8, 11 do
    if KEYS[i] ~= '' then redis.call('APPEND', KEYS[i], entry) end
  end
end
if keeps == 'this' then redis.call('HSET', docids, leader, ARGV[5] .. ' ' .. name) end
local answer = string.format('%.0f %s %s %d %s', seq, leader, stage, distance, name)
if nid ~= '' then redis.call('SET', nid, ARGV[4] .. answer) end
if fed then redis.call('XADD', outbox, string.format('0-%.0f', seq), 'answer', keeps .. ' ' .. answer, 'article', ARGV[8]) end
return keeps .. ' ' .. answer
