//! What the runs about upstream servers share: the servers, their settings, and clients that see every byte.

pub(crate) mod census;
pub(crate) mod http_client;
pub(crate) mod lab;
pub(crate) mod line_client;
pub(crate) mod scripted;
pub(crate) mod settings;
pub(crate) mod tee;
