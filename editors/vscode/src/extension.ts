// The extension starts `bunraku lsp` and gives it the settings. Everything else is the language server's.
import * as path from "path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function program(): string {
  return vscode.workspace.getConfiguration("bunraku").get<string>("path") || "bunraku";
}

function nodes(): string[] {
  return vscode.workspace.getConfiguration("bunraku").get<string[]>("nodes") || [];
}

async function start(): Promise<void> {
  const more = vscode.workspace.getConfiguration("bunraku").get<string[]>("arguments") || [];
  const server: ServerOptions = { command: program(), args: ["lsp", ...more] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "puppet" },
      { scheme: "file", language: "epp" },
      { scheme: "file", pattern: "**/*.erb" },
      { scheme: "file", pattern: "**/data/**/*.{yaml,yml,eyaml,json}" },
      { scheme: "file", pattern: "**/hiera*/**/*.{yaml,yml,eyaml,json}" },
      { scheme: "file", pattern: "**/{hiera.yaml,metadata.json,Puppetfile}" },
    ],
    initializationOptions: { nodes: nodes() },
    synchronize: { configurationSection: "bunraku" },
  };
  client = new LanguageClient("bunraku", "Bunraku", server, options);
  try {
    await client.start();
  } catch {
    const choice = "Open the setting";
    const answer = await vscode.window.showErrorMessage(
      `${program()} cannot be started. Put bunraku on the PATH, or say where it is.`, choice);
    if (answer === choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "bunraku.path");
    }
  }
}

// run shows a command of the program in a panel that stays. Its arguments are never read by a shell.
async function run(name: string, args: string[], folder: string): Promise<void> {
  const task = new vscode.Task({ type: "process" }, vscode.TaskScope.Workspace, name, "Bunraku",
    new vscode.ProcessExecution(program(), args, { cwd: folder }));
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  await vscode.tasks.executeTask(task);
}

function folderOf(uri?: vscode.Uri): string | undefined {
  const folder = uri ? vscode.workspace.getWorkspaceFolder(uri) : vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.fsPath;
}

interface Node {
  name: string;
  invented: boolean;
  chosen: boolean;
}

async function chooseNodes(): Promise<void> {
  if (!client) {
    return;
  }
  const all = await client.sendRequest<Node[]>("workspace/executeCommand", { command: "bunraku.nodes.list" });
  const picked = await vscode.window.showQuickPick(
    all.map((n) => ({ label: n.name, picked: n.chosen })),
    { canPickMany: true, placeHolder: "The nodes that values are shown of; none for a few that have what you write at" });
  if (picked) {
    await vscode.workspace.getConfiguration("bunraku").update("nodes", picked.map((p) => p.label));
  }
}

async function explain(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const folder = folderOf(editor?.document.uri);
  if (!editor || !folder) {
    return;
  }
  const file = path.relative(folder, editor.document.uri.fsPath);
  const node = nodes()[0];
  return run("explain",
    ["explain", ".", ...(node ? ["--node", node] : []), `${file}:${editor.selection.active.line + 1}`], folder);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const on = (name: string, f: () => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, f));
  on("bunraku.chooseNodes", chooseNodes);
  on("bunraku.explain", explain);
  on("bunraku.diff", () => {
    const folder = folderOf(vscode.window.activeTextEditor?.document.uri);
    if (folder) {
      return run("diff", ["diff"], folder);
    }
  });
  on("bunraku.web", () => {
    const folder = folderOf(vscode.window.activeTextEditor?.document.uri);
    if (folder) {
      return run("web", ["web"], folder);
    }
  });
  on("bunraku.restart", async () => {
    await client?.stop();
    await start();
  });
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
