//! Frames, handshake and envelope of the local IPC.
