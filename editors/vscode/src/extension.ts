// The extension starts `bunraku lsp` and gives it the settings. Everything else is the language server's.
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
      { scheme: "file", pattern: "**/*.{yaml,yml,eyaml,json}" }, // which of them are data, hiera.yaml says
      { scheme: "file", pattern: "**/Puppetfile" },
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

// ask sends a command of the language server's; what it says of a failure is shown.
async function ask<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
  try {
    return await client?.sendRequest<T>("workspace/executeCommand", { command, arguments: args });
  } catch (problem) {
    await vscode.window.showErrorMessage(problem instanceof Error ? problem.message : String(problem));
    return undefined;
  }
}

// show opens a text beside what is being written.
async function show(content: string, language: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

// here are the arguments of a command about a folder: the file that is being written, if it is one.
function here(): string[] {
  const uri = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  return uri?.scheme === "file" ? [uri.toString()] : [];
}

interface Node {
  name: string;
  invented: boolean;
  chosen: boolean;
}

async function chooseNodes(): Promise<void> {
  const all = await ask<Node[]>("bunraku.nodes.list");
  if (!all) {
    return;
  }
  const picked = await vscode.window.showQuickPick(
    all.map((n) => ({ label: n.name, picked: n.chosen })),
    { canPickMany: true, placeHolder: "The nodes that values are shown of; none for a few that have what you write at" });
  if (picked) {
    await vscode.workspace.getConfiguration("bunraku").update("nodes", picked.map((p) => p.label));
  }
}

async function explain(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client) {
    return;
  }
  const place = client.code2ProtocolConverter.asTextDocumentPositionParams(editor.document, editor.selection.active);
  const text = await ask<string | null>("bunraku.explain.at", place);
  if (text) {
    await show(text, "markdown");
  } else if (text === null) {
    await vscode.window.showInformationMessage("Nothing is known of this place on the nodes that are looked at.");
  }
}

async function diff(): Promise<void> {
  const text = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: "What do my changes do?" },
    () => ask<string>("bunraku.diff.tree", ...here()));
  if (text) {
    await show(text, "plaintext");
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const on = (name: string, f: () => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, f));
  on("bunraku.chooseNodes", chooseNodes);
  on("bunraku.explain", explain);
  on("bunraku.diff", diff);
  on("bunraku.web", () => ask<string>("bunraku.web.open", ...here())); // the server asks for a browser
  on("bunraku.restart", async () => {
    await client?.stop();
    await start();
  });
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
