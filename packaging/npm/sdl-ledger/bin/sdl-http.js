#!/usr/bin/env node
import { runProgram } from "../lib/launch.js";

runProgram("sdl-http");
