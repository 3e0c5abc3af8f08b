// Passes opencode's events to citator, and adds what it prints to the message. To remove it say: citator uninstall opencode
import { spawn } from "node:child_process"

const [program, ...words] = $argv
const MILLISECONDS = 2000

function ask(event) {
  return new Promise((resolve) => {
    try {
      const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: MILLISECONDS })
      let printed = ""
      child.stdout.setEncoding("utf8").on("data", (part) => (printed += part))
      child.stdin.on("error", () => {})
      child.on("error", () => resolve(""))
      child.on("close", (code) => resolve(code === 0 ? printed : ""))
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve("")
    }
  })
}

export const Citator = async ({ directory }) => ({
  "chat.message": async (input, output) => {
    const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
    const prompt = typed.map((part) => part.text).join("\n")
    const text = await ask({ hook_event_name: "chat.message", session_id: input.sessionID, cwd: directory, prompt })
    if (!text) return
    output.parts.push({
      id: "prt_citator" + Date.now(),
      sessionID: input.sessionID,
      messageID: output.message.id,
      type: "text",
      text,
      synthetic: true,
    })
  },
  "tool.execute.after": async (input, output) => {
    const path = input.tool === "read" && input.args?.filePath
    if (!path) return
    const text = await ask({ hook_event_name: "tool.read", session_id: input.sessionID, cwd: directory, path })
    if (text) output.output += "\n\n" + text
  },
  "experimental.session.compacting": async (input) => {
    await ask({ hook_event_name: "session.compacting", session_id: input.sessionID, cwd: directory })
  },
})
