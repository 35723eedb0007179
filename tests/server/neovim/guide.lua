-- Runs the guide's own code in a Neovim that says it is of the version in the environment, without a server.

local pretended = os.getenv("ADAL_TEST_VERSION")
local told = {}

vim.notify = function(text)
  table.insert(told, text)
end
vim.fn.has = function(feature)
  return feature:match("^nvim%-0%.(%d+)$") and tonumber(feature:match("%d+$")) <= tonumber(pretended) and 1 or 0
end
local asked = nil
local one = {
  request = function(first, second, third)
    -- Since 0.11 the client comes first.
    asked = type(first) == "table" and { method = second, params = third } or { method = first, params = second }
    asked.with_client = type(first) == "table"
  end,
}
local clients = {}
vim.lsp.get_active_clients = function()
  return clients
end

local defined = false
local create = vim.api.nvim_create_user_command
vim.api.nvim_create_user_command = function(...)
  defined = true
  return create(...)
end

local ok, fault = pcall(dofile, os.getenv("ADAL_TEST_GUIDE"))
local command = ""
if defined then
  vim.cmd("AdalRun greet()")
  clients = { one }
  vim.cmd('AdalRun greet(name="Ada")')
else
  command = tostring(select(2, pcall(vim.cmd, "AdalRun greet()")))
end
local result = { ok = ok, fault = fault or "", defined = defined, command = command, told = told, asked = asked or {} }
io.stdout:write(vim.fn.json_encode(result))
vim.cmd("qall!")
