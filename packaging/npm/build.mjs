// Makes the npm packages of a release from its folders, as `cargo xtask package` writes them.
//   node build.mjs --out DIR [--repository OWNER/NAME] FOLDER...
// Each folder becomes @sdl-ledger/PLATFORM; sdl-ledger lists exactly these as optional dependencies. `npm pack` or `npm publish` follows.

import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url));
const CPUS = { x86_64: "x64", aarch64: "arm64" };
const SYSTEMS = { linux: "linux", macos: "darwin", windows: "win32" };
const LICENSES = ["LICENSE-MIT", "LICENSE-APACHE"];

/** What the name of a folder says, such as sdl-0.1.0-x86_64-linux-musl. */
export function readName(folder) {
  const found = /^sdl-(\d[0-9A-Za-z.+-]*?)-(x86_64|aarch64)-(linux|macos|windows)(-musl)?$/.exec(basename(folder));
  if (!found) throw new Error(`${basename(folder)} is not named sdl-VERSION-ARCH-OS`);
  const [, version, arch, system, musl] = found;
  const os = SYSTEMS[system];
  const cpu = CPUS[arch];
  return { version, os, cpu, libc: os === "linux" ? (musl ? "musl" : "glibc") : undefined, id: `${os}-${cpu}${musl ?? ""}` };
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function makePlatform(folder, out, shared) {
  const { version, os, cpu, libc, id } = readName(folder);
  const name = `@sdl-ledger/${id}`;
  const target = join(out, `sdl-ledger-${id}`);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  cpSync(join(folder, "bin"), join(target, "bin"), { recursive: true });
  for (const file of readdirSync(join(target, "bin"))) chmodSync(join(target, "bin", file), 0o755);
  if (!existsSync(join(target, "bin", os === "win32" ? "sdl-mcp.exe" : "sdl-mcp"))) throw new Error(`${folder} has no bin/sdl-mcp`);
  for (const file of LICENSES) cpSync(join(folder, file), join(target, file));
  writeFileSync(join(target, "README.md"), `# ${name}\n\nThe programs of [sdl-ledger](https://www.npmjs.com/package/sdl-ledger) for one platform.\n`);
  // A static program runs with either C library, so the musl package is not limited to one: it is the way out for an old glibc.
  const limits = { os: [os], cpu: [cpu], ...(libc === "glibc" ? { libc: ["glibc"] } : {}) };
  writeJson(join(target, "package.json"), { name, version, description: `sdl-ledger for ${id}`, ...shared, ...limits, preferUnplugged: true });
  return { name, version };
}

export function buildPackages(folders, out, repository) {
  const template = JSON.parse(readFileSync(join(HERE, "sdl-ledger", "package.json"), "utf8"));
  const url = repository && { type: "git", url: `git+https://github.com/${repository}.git` };
  const shared = { license: template.license, ...(url ? { repository: url } : {}) };
  const made = folders.map((folder) => makePlatform(folder, out, shared));
  const versions = new Set(made.map((one) => one.version));
  if (versions.size !== 1) throw new Error(`the folders are of ${versions.size} versions, not one: ${[...versions].join(", ")}`);
  const [version] = versions;
  const target = join(out, "sdl-ledger");
  rmSync(target, { recursive: true, force: true });
  cpSync(join(HERE, "sdl-ledger"), target, { recursive: true });
  for (const file of LICENSES) cpSync(join(folders[0], file), join(target, file));
  const optionalDependencies = Object.fromEntries(made.map((one) => [one.name, version]).sort());
  // The MCP registry checks this name.
  const mcpName = repository && { mcpName: `io.github.${repository.split("/")[0]}/sdl-ledger` };
  writeJson(join(target, "package.json"), { ...template, version, ...(url ? { repository: url } : {}), ...mcpName, optionalDependencies });
  return ["sdl-ledger", ...made.map((one) => one.name)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { out: { type: "string" }, repository: { type: "string" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (!values.out || positionals.length === 0) {
    console.error("usage: node build.mjs --out DIR [--repository OWNER/NAME] FOLDER...");
    process.exit(2);
  }
  for (const name of buildPackages(positionals, values.out, values.repository)) console.log(name);
}
