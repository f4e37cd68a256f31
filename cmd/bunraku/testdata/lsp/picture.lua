-- Shows what an editor shows: Neovim opens a file of a tree, waits for the server's answer, and writes its own screen to
-- $RESULT, a line of JSON for each row: its text, and which part of it belongs to the window that floats above.
local out = {}
local function finish()
  vim.fn.writefile(out, vim.env.RESULT)
  vim.cmd('qall!')
end

-- The window that floats above the text has a grid of its own, which begins where its border does.
local function float()
  for _, w in ipairs(vim.api.nvim_list_wins()) do
    local config = vim.api.nvim_win_get_config(w)
    if config.relative ~= '' then
      local at = vim.api.nvim_win_get_position(w)
      for grid = 2, 30 do
        if pcall(vim.api.nvim__inspect_cell, grid, 0, 0) then
          return { grid = grid, row = at[1], column = at[2], height = config.height + 2, width = config.width + 2 }
        end
      end
    end
  end
end

local function screen()
  vim.cmd('redraw!')
  local above = float()
  for row = 0, vim.o.lines - 1 do
    local text, from, to = {}, 0, 0 -- characters of the row that the window above covers
    for column = 0, vim.o.columns - 1 do
      local grid, r, c = 1, row, column
      if above and row >= above.row and row < above.row + above.height and column >= above.column and
        column < above.column + above.width then
        grid, r, c = above.grid, row - above.row, column - above.column
        from, to = above.column, column + 1
      end
      table.insert(text, vim.api.nvim__inspect_cell(grid, r, c)[1])
    end
    table.insert(out, vim.fn.json_encode({ text = table.concat(text), from = from, to = to }))
  end
end

local function run()
  vim.o.columns, vim.o.lines = 118, tonumber(vim.env.LINES_SHOWN)
  vim.o.laststatus, vim.o.ruler, vim.o.showmode, vim.o.shortmess, vim.o.cmdheight = 0, false, false, 'aoOTIcF', 1
  vim.cmd('syntax off')
  vim.cmd('edit ' .. vim.env.TREE .. '/' .. vim.env.SHOWN)
  vim.bo.filetype = ''
  vim.wo.number, vim.wo.signcolumn, vim.wo.wrap = true, 'yes', false
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = 'bunraku', cmd = { vim.env.BUNRAKU, 'lsp' }, root_dir = vim.env.TREE })
  vim.lsp.buf_attach_client(buffer, client)
  vim.wait(60000, function() return vim.lsp.buf_get_clients(buffer)[client] ~= nil end, 10)
  vim.diagnostic.config({ virtual_text = { prefix = '●', spacing = 2 }, severity_sort = true })
  local line = tonumber(vim.env.LINE)
  vim.fn.winrestview({ topline = tonumber(vim.env.TOP), lnum = line, col = 0 })
  vim.fn.search(vim.env.WORD, 'c', line)
  if vim.env.SHOW == 'hover' then
    -- Asked until the nodes are compiled, then shown as the key K shows it.
    local answer
    vim.wait(120000, function()
      local params = vim.lsp.util.make_position_params(0, 'utf-16')
      local all = vim.lsp.buf_request_sync(buffer, 'textDocument/hover', params, 60000)
      answer = all and all[client] and all[client].result
      return answer and answer.contents and answer.contents.value:find(vim.env.UNTIL, 1, true) ~= nil
    end, 100)
    vim.lsp.handlers['textDocument/hover'](nil, answer, { method = 'textDocument/hover', client_id = client, bufnr = buffer },
      { border = 'single', max_width = 100, focusable = false })
  else
    vim.wait(120000, function() return #vim.diagnostic.get(buffer) >= tonumber(vim.env.UNTIL) end, 100)
    vim.diagnostic.open_float({ border = 'single', max_width = 110, focusable = false, header = '', prefix = '',
      scope = 'line' })
  end
  vim.wait(300, function() return false end)
  screen()
end

vim.defer_fn(function() -- when the editor has started: before, it does not draw
  local ok, trouble = pcall(run)
  if not ok then table.insert(out, 'trouble: ' .. tostring(trouble)) end
  finish()
end, 0)
