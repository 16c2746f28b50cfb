// The launcher and the packages, with shell scripts in place of the programs. Run: node --test packaging/npm/test

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildPackages, readName } from "../build.mjs";
import { packagesFor } from "../sdl-ledger/lib/launch.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const ARCH = process.arch === "arm64" ? "aarch64" : "x86_64";
const OS = process.platform === "darwin" ? "macos" : "linux";
const skip = process.platform === "win32" ? "the fake programs are shell scripts" : false;
let box;
let modules;

/** A tree as npm lays it out: the launcher, and the packages for this platform beside it. */
function install(names) {
  rmSync(modules, { recursive: true, force: true });
  cpSync(join(box, "out", "sdl-ledger"), join(modules, "sdl-ledger"), { recursive: true });
  for (const name of names) {
    cpSync(join(box, "out", name.replace("@sdl-ledger/", "sdl-ledger-")), join(modules, name), { recursive: true });
  }
}
const run = (program, ...words) =>
  spawnSync(process.execPath, [join(modules, "sdl-ledger", "bin", `${program}.js`), ...words], { encoding: "utf8", input: "a line\n" });
const own = packagesFor(process.platform, process.arch, true);

before(() => {
  box = mkdtempSync(join(tmpdir(), "sdl-npm-"));
  modules = join(box, "node_modules");
  const platforms = ["x86_64-linux", "aarch64-linux", "x86_64-linux-musl", "aarch64-linux-musl", "aarch64-macos", "x86_64-macos", "x86_64-windows"];
  const fake = join(HERE, "..", "..", "tests", "fake_release.py");
  const folders = execFileSync("python3", ["-B", fake, box, "1.2.3", ...platforms], { encoding: "utf8" }).trim().split("\n");
  buildPackages(folders, join(box, "out"), "someone/somewhere");
});
after(() => rmSync(box, { recursive: true, force: true }));

test("names of folders say the platform", () => {
  const name = readName("/a/sdl-0.1.0-rc.1-aarch64-linux-musl");
  assert.deepEqual(name, { version: "0.1.0-rc.1", os: "linux", cpu: "arm64", libc: "musl", id: "linux-arm64-musl" });
  assert.throws(() => readName("sdl-0.1.0-sparc-linux"), /is not named/);
});

test("the package lists every platform, at its own version, and downloads nothing", () => {
  const main = JSON.parse(readFileSync(join(box, "out", "sdl-ledger", "package.json"), "utf8"));
  assert.equal(Object.keys(main.optionalDependencies).length, 7);
  assert.deepEqual(new Set(Object.values(main.optionalDependencies)), new Set(["1.2.3"]));
  assert.equal(main.version, "1.2.3");
  assert.equal(main.mcpName, "io.github.someone/sdl-ledger");
  assert.equal(main.scripts, undefined);
  const windows = JSON.parse(readFileSync(join(box, "out", "sdl-ledger-win32-x64", "package.json"), "utf8"));
  assert.deepEqual([windows.os, windows.cpu, windows.libc], [["win32"], ["x64"], undefined]);
});

test("every program of the package is a file that runs", { skip }, () => {
  install([own[0]]);
  const { bin } = JSON.parse(readFileSync(join(modules, "sdl-ledger", "package.json"), "utf8"));
  assert.equal(bin["sdl-ledger"], bin["sdl-mcp"]);
  for (const file of Object.values(bin)) {
    const program = file.replace("bin/", "").replace(".js", "");
    assert.equal(run(program, "a b", "c").stdout, `${program} 1.2.3 a b c\n`);
  }
});

test("streams and exit codes are the program's", { skip }, () => {
  install([own[0]]);
  assert.equal(run("sdl-mcp", "read").stdout, "a line\nsdl-mcp 1.2.3 read\n");
  assert.equal(run("sdlctl", "exit", "3").status, 3);
  assert.equal(run("sdlctl", "kill").status, 128 + 15);
});

test("a signal reaches the program", { skip }, async () => {
  install([own[0]]);
  const child = spawn(process.execPath, [join(modules, "sdl-ledger", "bin", "sdl-mcp.js"), "read"], { stdio: ["pipe", "pipe", "inherit"] });
  // An echo proves that the program runs, so that the signal can't come too early.
  child.stdin.write("ready\n");
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGTERM");
  const code = await new Promise((resolve) => child.once("exit", resolve));
  child.stdin.destroy();
  child.stdout.destroy();
  assert.equal(code, 128 + 15);
});

test("a lost mode is given back", { skip }, () => {
  install([own[0]]);
  chmodSync(join(modules, own[0], "bin", "sdlctl"), 0o644);
  assert.equal(run("sdlctl").status, 0);
});

test("without glibc's package the static one is used", { skip: skip || OS !== "linux" }, () => {
  install([own[1]]);
  assert.equal(run("sdlctl").status, 0);
  assert.deepEqual(packagesFor("linux", "x64", false), ["@sdl-ledger/linux-x64-musl"]);
});

test("without a package the message says what to do", () => {
  install([]);
  const { status, stderr } = run("sdl-mcp");
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`no programs for ${process.platform}-${process.arch}.*--omit=optional`));
});

test("folders of two versions are refused", () => {
  const fake = join(HERE, "..", "..", "tests", "fake_release.py");
  const made = (version, platform) => execFileSync("python3", ["-B", fake, box, version, platform], { encoding: "utf8" }).trim();
  const folders = [made("1.2.3", `${ARCH}-${OS}`), made("1.2.4", `${ARCH}-${OS}`)];
  mkdirSync(join(box, "two"), { recursive: true });
  assert.throws(() => buildPackages(folders, join(box, "two")), /2 versions/);
});
