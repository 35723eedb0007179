-- Drives one editing session and one or two agent runs in a real Neovim. Arguments come from the environment, since
-- nvim has its own ideas about a command line. Ends with exit code 0, or 1 and the reason on stderr.

local workspace = os.getenv("ADAL_TEST_WORKSPACE")
local server = vim.fn.json_decode(os.getenv("ADAL_TEST_SERVER"))
local with_agent = os.getenv("ADAL_TEST_AGENT") == "1"
local tools = workspace .. "/.adal/tools.py"

local questions, messages, answer_with = {}, {}, nil

local function fail(text)
  io.stderr:write("FAILED: " .. text .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, text)
  if not condition then
    fail(text)
  end
end

local function wait(text, predicate, milliseconds)
  check(vim.wait(milliseconds or 20000, predicate, 20), "no " .. text .. "; messages: " .. vim.inspect(messages))
end

vim.lsp.handlers["window/showMessageRequest"] = function(_, params)
  table.insert(questions, params)
  for _, action in ipairs(params.actions) do
    if action.title == answer_with then
      return action
    end
  end
  return vim.NIL
end

vim.lsp.handlers["window/showMessage"] = function(_, params)
  table.insert(messages, params.message)
end

local function diagnostics_with(code)
  return vim.tbl_filter(function(found)
    return found.code == code
  end, vim.diagnostic.get(0))
end

local function run_agent(client, prompt)
  local answer = client.request_sync(
    "workspace/executeCommand",
    { command = "adal.server.runAgent", arguments = { { prompt = prompt, model = "offline" } } },
    60000,
    0
  )
  check(answer and answer.result and answer.result.runId, "run not started: " .. vim.inspect(answer))
end

local function approved(client, title, said)
  answer_with = title
  local asked, told = #questions, #messages
  run_agent(client, 'greet(name="Ada")')
  wait("question", function()
    return #questions > asked
  end, 60000)
  local text = questions[#questions].message
  check(text:find("greet", 1, true), "the question does not name the tool: " .. text)
  check(text:find('"name": "Ada"', 1, true), "the question does not show the arguments: " .. text)
  wait("answer of the run", function()
    return #messages > told
  end, 60000)
  check(messages[#messages]:find(said, 1, true), "another answer than expected: " .. messages[#messages])
end

local function line_of(pattern)
  return vim.fn.getline(vim.fn.search(pattern, "nw"))
end

local function rename(to)
  vim.fn.search("def \\zs", "w")
  vim.lsp.buf.rename(to)
  wait("rename to " .. to, function()
    return line_of("^CUSTOM_TOOLS"):find("[" .. to .. ", {\"function\": " .. to .. ",", 1, true)
  end)
  check(line_of("def "):find("def " .. to .. "(", 1, true), "the definition was not renamed: " .. line_of("def "))
end

-- A rename there and back, a name that a rule forbids, and completion by omnifunc in a line that is not finished.
local function authoring(client)
  rename("hail")
  rename("greet")
  local refused = client.request_sync("textDocument/rename", {
    textDocument = vim.lsp.util.make_text_document_params(0),
    position = { line = 0, character = 5 },
    newName = "bash",
  }, 20000, 0)
  check(refused.err and refused.err.message:find("built-in tool", 1, true), "not refused: " .. vim.inspect(refused))

  local row = vim.fn.search("^CUSTOM_TOOLS", "nw")
  local before = vim.fn.getline(row)
  local unfinished = before:gsub("}%]$", ', "re')
  vim.fn.setline(row, unfinished)
  local found = client.request_sync("textDocument/completion", {
    textDocument = vim.lsp.util.make_text_document_params(0),
    position = { line = row - 1, character = #unfinished },
  }, 20000, vim.api.nvim_get_current_buf()) -- the number, not 0: only then are pending changes sent first
  local last = found and found.result and found.result.items[#found.result.items]
  check(last and last.label == "require_approval", "no completion: " .. vim.inspect(found))
  vim.lsp.util.apply_text_edits({ last.textEdit }, 0, client.offset_encoding)
  local completed = vim.fn.getline(row)
  check(completed:find('"say_hello", "require_approval": ', 1, true), "not completed: " .. completed)
  vim.fn.setline(row, before)
end

-- The lenses as Neovim shows them; a tool with arguments cannot be tried here, as there is no form for them.
local function lenses(client)
  local titles = {}
  vim.lsp.codelens.refresh()
  local function shown()
    titles = {}
    for _, lens in ipairs(vim.lsp.codelens.get(0)) do
      if not lens.command then
        return false
      end
      table.insert(titles, lens.range.start.line .. " " .. lens.command.title)
    end
    return #titles > 0
  end
  wait("lenses", shown)
  local text = table.concat(titles, "\n")
  check(text:find("0 Run agent with greet", 1, true), "no lens for a run: " .. text)
  check(text:find("0 greet: asks for approval", 1, true), "no lens for the approval: " .. text)
  check(not text:find("Try", 1, true), "a lens that cannot work: " .. text)
end

local function session()
  local id = vim.lsp.start_client({
    name = "adal",
    cmd = server,
    root_dir = workspace,
    workspace_folders = { { uri = vim.uri_from_fname(workspace), name = "workspace" } },
    init_options = { trusted = true },
  })
  vim.cmd("edit " .. vim.fn.fnameescape(tools))
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)

  wait("diagnostic for the bad name", function()
    return #diagnostics_with("ADAL101") == 1
  end)
  local found = diagnostics_with("ADAL101")[1]

  -- The fix of the code action, applied as Neovim applies it.
  local place = { line = found.lnum, character = found.col + 1 }
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(0),
    range = { start = place, ["end"] = place },
    context = { diagnostics = {}, only = { "quickfix" } },
  }
  local actions = client.request_sync("textDocument/codeAction", params, 20000, 0)
  check(actions and actions.result and actions.result[1], "no code action: " .. vim.inspect(actions))
  check(actions.result[1].edit == nil, "the edit came unasked for")
  local action = client.request_sync("codeAction/resolve", actions.result[1], 20000, 0).result
  vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
  wait("end of the diagnostic", function()
    return #diagnostics_with("ADAL101") == 0
  end)
  check(vim.fn.search("say_hello", "nw") > 0, "the name was not changed")

  local hover = client.request_sync("textDocument/hover", {
    textDocument = vim.lsp.util.make_text_document_params(0),
    position = { line = 0, character = 5 },
  }, 20000, 0)
  check(hover and hover.result and hover.result.contents.value:find("greet", 1, true), "no card: " .. vim.inspect(hover))
  lenses(client)
  authoring(client)
  vim.cmd("silent write")

  if with_agent then
    approved(client, "Allow once", "Hello, Ada!")
    approved(client, "Deny", "denied")
    check(#questions == 2, "more than one question a call: " .. vim.inspect(questions))
  end
  vim.lsp.stop_client(id)
  wait("end of the server", function()
    return vim.lsp.client_is_stopped(id)
  end)
end

local ok, fault = xpcall(session, debug.traceback)
if not ok then
  fail(fault)
end
vim.cmd("qa!")
