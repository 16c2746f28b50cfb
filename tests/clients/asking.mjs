// As asking.py, with the official TypeScript SDK: node asking.mjs MODE SHIM KEY...
//
// MODE is `sdk` (@modelcontextprotocol/sdk, up to 2025-11-25), `legacy` or a revision such as 2026-07-28 (@modelcontextprotocol/client).
import assert from 'node:assert';

const ROUNDS = 5;
const [mode, shim, ...keys] = process.argv.slice(2);

async function connect(name, handlers) {
    const capabilities = { elicitation: {}, sampling: {}, roots: {} };
    const info = { name: 'asking', version: '1' };
    if (mode === 'sdk') {
        const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
        const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
        const types = await import('@modelcontextprotocol/sdk/types.js');
        const client = new Client(info, { capabilities });
        client.setRequestHandler(types.ElicitRequestSchema, handlers.elicit);
        client.setRequestHandler(types.CreateMessageRequestSchema, handlers.sample);
        client.setRequestHandler(types.ListRootsRequestSchema, handlers.roots);
        await client.connect(new StdioClientTransport({ command: shim, env: process.env }));
        return client;
    }
    const { Client } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const versionNegotiation = { mode: mode === 'legacy' ? 'legacy' : { pin: mode } };
    const client = new Client(info, { capabilities, versionNegotiation });
    client.setRequestHandler('elicitation/create', handlers.elicit);
    client.setRequestHandler('sampling/createMessage', handlers.sample);
    client.setRequestHandler('roots/list', handlers.roots);
    await client.connect(new StdioClientTransport({ command: shim, env: process.env }));
    return client;
}

async function session(name) {
    const asked = { elicitation: 0, sampling: 0, roots: 0 };
    const note = (kind, text) => {
        asked[kind] += 1;
        for (const other of ['anna', 'ben']) assert(other === name || !text.includes(other), `${name} got ${text}`);
    };
    const client = await connect(name, {
        elicit: async request => {
            note('elicitation', request.params.message);
            assert(keys.some(key => request.params.message.startsWith(`[${key}] `)), request.params.message);
            return { action: 'accept', content: { name: `name-${name}` } };
        },
        sample: async request => {
            note('sampling', JSON.stringify(request.params.messages));
            return { role: 'assistant', content: { type: 'text', text: `word-${name}` }, model: 'test', stopReason: 'endTurn' };
        },
        roots: async () => {
            note('roots', '');
            return { roots: [{ uri: `file:///home/${name}`, name }] };
        }
    });
    const call = async (tool, args, ...wanted) => {
        const result = await client.callTool({ name: tool, arguments: args });
        const text = result.content.map(block => block.text ?? '').join(' ');
        assert(!result.isError, `${name} ${tool}: ${text}`);
        for (const want of wanted) assert(text.includes(want), `${name} ${tool}: ${text}`);
    };
    for (let at = 0; at < ROUNDS; at += 1) {
        const tag = `${name}${at}`;
        for (const key of keys) {
            if (key === 'everything') {
                await call('everything/trigger-elicitation-request', {}, `Name: name-${name}`);
                await call('everything/trigger-sampling-request', { prompt: tag }, `word-${name}`);
                await call('everything/get-roots-list', {}, `file:///home/${name}`);
                continue;
            }
            await call(`${key}/ask_name`, { tag }, `${tag}: name-${name}`);
            await call(`${key}/ask_model`, { tag }, `${tag}: word-${name}`);
            await call(`${key}/ask_roots`, { tag }, `${tag}: file:///home/${name}`);
            await call(`${key}/ask_all`, { tag }, `${tag}: after name-${name} at file:///home/${name}`, `word-${name}`);
        }
    }
    await client.close();
    return asked;
}

const asked = await Promise.all(['anna', 'ben'].map(session));
const remembered = keys.filter(key => key === 'everything').length * ROUNDS;
const wanted = keys.length * 2 * ROUNDS - remembered;
for (const one of asked) {
    assert(one.elicitation === wanted && one.sampling === wanted && one.roots >= wanted - remembered, JSON.stringify(one));
}
console.log('ok', mode, JSON.stringify(asked));
