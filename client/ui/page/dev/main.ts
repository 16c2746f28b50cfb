// The page over a real daemon, for development:
//   SDL_STATE_DIR=… SDL_RUNTIME_DIR=… npm run dev -- PROGRAMS FOLDER [PORT]
import { DaemonBackend } from "./backend";
import { servePage } from "./http";

const [programs, folder, port] = process.argv.slice(2);
if (!programs || !folder) {
  console.error("give the folder of the programs and a folder that is indexed: npm run dev -- PROGRAMS FOLDER [PORT]");
  process.exit(2);
}
const backend = await DaemonBackend.open(programs, folder);
const { address } = await servePage(backend, "dev", Number(port ?? 0));
console.log(`${address}/?token=dev#/repository`);
