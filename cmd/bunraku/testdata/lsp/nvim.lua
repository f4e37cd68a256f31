-- Drives `bunraku lsp` as an editor does: Neovim's own client starts it, edits are typed into buffers, and what the
-- client then knows is written to $RESULT, a line each.
local tree, out = vim.env.TREE, {}
local function say(line) table.insert(out, line) end
local function finish()
  vim.fn.writefile(out, vim.env.RESULT)
  vim.cmd('qall!')
end

local function run()
  vim.cmd('edit ' .. tree .. '/modules/web/manifests/init.pp')
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = 'bunraku', cmd = { vim.env.BUNRAKU, 'lsp' }, root_dir = tree })
  vim.lsp.buf_attach_client(buffer, client)
  local function known()
    local list = {}
    for _, d in ipairs(vim.diagnostic.get(buffer)) do
      table.insert(list, string.format('%d:%d %s', d.lnum + 1, d.col + 1, d.code))
    end
    return list
  end
  local function wait(what, holds)
    if not vim.wait(120000, function() return holds(known()) end, 20) then
      say(what .. ': nothing came: ' .. table.concat(known(), ', '))
      return finish()
    end
    local list = known()
    say(what .. ': ' .. (#list == 0 and '0' or table.concat(list, ', ')))
  end
  vim.wait(60000, function() return vim.lsp.buf_get_clients(buffer)[client] ~= nil end, 10)
  wait('clean', function(l) return #l == 0 end)
  vim.api.nvim_buf_set_lines(buffer, 2, 3, false, { '  notify { "ü 𝄞" }' })
  wait('syntax', function(l) return #l == 1 end)
  vim.api.nvim_buf_set_lines(buffer, 2, 3, false, { '  notify { "ü 𝄞": }' })
  wait('mended', function(l) return #l == 0 end)
  vim.api.nvim_buf_set_lines(buffer, 3, 3, false, { '  include nothing' })
  wait('evaluation', function(l) return #l == 1 end)
  vim.api.nvim_buf_set_lines(buffer, 2, 4, false, { '  notify { "ü 𝄞 ${port}": }' })
  wait('mended', function(l) return #l == 0 end)
  -- Asks about a word of the buffer, as a key of the editor's does.
  local function ask(method, line, column, more)
    local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line - 1, character = column - 1 } }
    for k, v in pairs(more or {}) do params[k] = v end
    local answer = vim.lsp.buf_request_sync(buffer, method, params, 60000)
    return answer and answer[client] and answer[client].result or {}
  end
  local function places(list)
    local all = {}
    for _, l in ipairs(list) do
      table.insert(all, string.format('%s:%d:%d', vim.fn.fnamemodify(vim.uri_to_fname(l.uri), ':t'), l.range.start.line + 1,
        l.range.start.character + 1))
    end
    return table.concat(all, ', ')
  end
  say('definition: ' .. places(ask('textDocument/definition', 3, 20)))
  say('references: ' .. places(ask('textDocument/references', 2, 8, { context = { includeDeclaration = true } })))
  say('highlights: ' .. #ask('textDocument/documentHighlight', 2, 22))
  local names = {}
  for _, x in ipairs(vim.lsp.util.symbols_to_items(ask('textDocument/documentSymbol', 1, 1), buffer)) do
    table.insert(names, x.text)
  end
  say('outline: ' .. table.concat(names, ', '))
  say('symbols: ' .. #ask('workspace/symbol', 1, 1, { query = 'web' }))
  say('folding: ' .. #ask('textDocument/foldingRange', 1, 1))
  local value
  vim.wait(120000, function() -- until the node has been compiled
    local hover = ask('textDocument/hover', 3, 20)
    value = hover.contents and hover.contents.value:match('on a.-\n\n```text\n(.-)\n')
    return value ~= nil
  end, 50)
  say('hover: ' .. (value or 'nothing'))
  vim.api.nvim_buf_set_lines(buffer, 3, 3, false, { '  file { "/x": ens' })
  local items = vim.lsp.util.extract_completion_items(ask('textDocument/completion', 4, 19))
  say('completion: ' .. (items[1] and items[1].label or 'nothing'))
  vim.api.nvim_buf_set_lines(buffer, 3, 4, false, { '  $x = split($port, ' })
  local help = ask('textDocument/signatureHelp', 4, 22)
  say('signature: ' .. (help.signatures and help.signatures[1].label .. ' ' .. help.activeParameter or 'nothing'))
  -- What follows is done by the editor's own commands, as a key does it; what counts is the text that comes of it.
  local function text(line) return vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1] or '' end
  local function becomes(what, line, holds)
    vim.wait(120000, function() return holds(text(line)) end, 20)
    say(what .. ': ' .. vim.trim(text(line)))
  end
  vim.api.nvim_buf_set_lines(buffer, 3, 4, false, {})
  wait('mended', function(l) return #l == 0 end)
  vim.api.nvim_win_set_cursor(0, { 2, 20 })
  vim.lsp.buf.rename('listen')
  becomes('renamed', 3, function(t) return t:find('${listen}', 1, true) end)
  say('renamed: ' .. text(2))
  vim.api.nvim_buf_set_lines(buffer, 3, 3, false, { '  file { "/ü": ensur => file }' })
  wait('misspelt', function(l) return #l > 0 end)
  vim.api.nvim_win_set_cursor(0, { 4, 16 })
  vim.ui.select = function(items, options, choose)
    say('action: ' .. options.format_item(items[1]))
    choose(items[1])
  end
  vim.lsp.buf.code_action()
  becomes('acted', 4, function(t) return t:find('ensure', 1, true) end)
  wait('mended', function(l) return #l == 0 end)
  vim.wait(120000, function() -- nodes are counted again after a pause, and with it what does not compile
    vim.lsp.codelens.refresh()
    vim.wait(100)
    local lenses = vim.lsp.codelens.get(buffer)
    return #lenses > 0 and lenses[1].command and not lenses[1].command.title:find('not compile', 1, true)
  end, 20)
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do say('lens: ' .. lens.command.title) end
  vim.api.nvim_win_set_cursor(0, { 2, 6 })
  vim.lsp.buf.incoming_calls()
  vim.wait(120000, function() return #vim.fn.getqflist() > 0 end, 20)
  for _, call in ipairs(vim.fn.getqflist()) do
    say(string.format('called by: %s %s:%d', call.text, vim.fn.fnamemodify(vim.fn.bufname(call.bufnr), ':t'), call.lnum))
  end
  vim.cmd('cclose')
  -- Marks of the same name, and what the editor's own jump to a tag finds.
  vim.api.nvim_win_set_cursor(0, { 2, 20 })
  vim.lsp.buf.document_highlight()
  local marks = vim.api.nvim_create_namespace('vim_lsp_references')
  vim.wait(120000, function() return #vim.api.nvim_buf_get_extmarks(buffer, marks, 0, -1, {}) > 0 end, 20)
  say('marked: ' .. #vim.api.nvim_buf_get_extmarks(buffer, marks, 0, -1, {}))
  vim.lsp.buf.clear_references()
  for _, tag in ipairs(vim.lsp.tagfunc('web', '')) do say('tag: ' .. vim.fn.fnamemodify(tag.filename, ':t') .. ' ' .. tag.cmd) end
  -- What a class includes is asked in another buffer.
  vim.cmd('silent! write')
  vim.cmd('edit ' .. tree .. '/modules/role/manifests/init.pp')
  vim.lsp.buf_attach_client(0, client)
  vim.api.nvim_win_set_cursor(0, { 1, 7 })
  vim.fn.setqflist({})
  vim.lsp.buf.outgoing_calls()
  vim.wait(120000, function() return #vim.fn.getqflist() > 0 end, 20)
  for _, call in ipairs(vim.fn.getqflist()) do say('calls: ' .. call.text) end
  vim.cmd('cclose')
  -- A second folder of the workspace comes and goes, with what is wrong in it.
  local second = vim.fn.tempname()
  vim.fn.mkdir(second .. '/manifests', 'p')
  vim.fn.writefile({ 'node default { notify { } }' }, second .. '/manifests/site.pp')
  vim.lsp.buf.add_workspace_folder(second)
  local there = vim.uri_to_bufnr(vim.uri_from_fname(second .. '/manifests/site.pp'))
  vim.wait(120000, function() return #vim.diagnostic.get(there) > 0 end, 20)
  say('second folder: ' .. #vim.lsp.buf.list_workspace_folders() .. ' ' .. #vim.diagnostic.get(there))
  vim.lsp.buf.remove_workspace_folder(second)
  vim.wait(120000, function() return #vim.diagnostic.get(there) == 0 end, 20)
  say('gone: ' .. #vim.diagnostic.get(there))
  local answer = vim.lsp.buf_request_sync(buffer, 'workspace/executeCommand', { command = 'bunraku.nodes.list' }, 60000)
  for _, node in ipairs(answer[client].result) do say('node: ' .. node.name) end
  vim.lsp.buf.execute_command({ command = 'bunraku.nodes.choose', arguments = { 'a*' } })
  -- The commands of the documentation: each opens a window with its answer.
  dofile(vim.env.SNIPPET)
  local function opens(what, command, pattern)
    vim.api.nvim_set_current_win(vim.fn.win_getid(1))
    vim.cmd('buffer ' .. buffer)
    vim.api.nvim_win_set_cursor(0, { 2, 20 })
    local found, text
    for _ = 1, 600 do -- until the node has been compiled
      local windows = #vim.api.nvim_list_wins()
      vim.cmd(command)
      vim.wait(120000, function() return #vim.api.nvim_list_wins() > windows end, 20)
      text = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      vim.cmd('close')
      for _, line in ipairs(text) do found = found or line:match(pattern) end
      if found then break end
      vim.wait(50)
    end
    say(what .. ': ' .. (found or table.concat(text, '|')))
  end
  opens('explained', 'BunrakuExplain', 'places decide.*')
  opens('changed', 'BunrakuDiff', 'Class%[Web%] port.*')
  opens('page', 'BunrakuWeb', '^http://127.0.0.1:')
  vim.lsp.stop_client(client)
  finish()
end

local ok, problem = pcall(run)
if not ok then
  say('error: ' .. tostring(problem))
  finish()
end
