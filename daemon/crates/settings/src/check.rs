//! Facts about an entry whose text is right that a person has to know, or that have to be masked.

use crate::plain::{looks_secret, split_scheme};
use crate::secret::Secret;
use crate::template::{Lookup, Template, Unset};
use crate::types::{Transport, Upstream};

/// The variables of an entry that can't be resolved now.
pub fn unset_variables(upstream: &Upstream, lookup: &dyn Lookup) -> Vec<Unset> {
    let mut unset: Vec<Unset> = Vec::new();
    for template in templates_of(&upstream.transport) {
        if let Err(error) = template.resolve(lookup).map(|_| ())
            && !unset.contains(&error)
        {
            unset.push(error);
        }
    }
    unset
}

/// The variables with a secret value in `command` or `args`, where other programs of the user can read it.
pub fn exposed_variables(upstream: &Upstream, lookup: &dyn Lookup) -> Vec<String> {
    let Transport::Stdio { command, args, .. } = &upstream.transport else { return Vec::new() };
    let mut exposed: Vec<String> = Vec::new();
    for resolved in std::iter::once(command).chain(args).filter_map(|template| template.resolve(lookup).ok())
    {
        for (name, _) in resolved.secrets() {
            if !exposed.iter().any(|known| known == name) {
                exposed.push(name.to_owned());
            }
        }
    }
    exposed
}

/// Secrets that are written out in `env` and `headers`, with the name of the variable or header. They are to be masked
/// as credentials are.
pub fn written_secrets(transport: &Transport) -> Vec<(String, Secret)> {
    let (pairs, is_header) = match transport {
        Transport::Stdio { env, .. } => (env, false),
        Transport::Http { headers, .. } => (headers, true),
    };
    let is_secret = |(name, template): &&(String, Template)| looks_secret(name, template.as_str());
    let take = |(name, template): &(String, Template)| {
        let value = split_scheme(is_header, template.as_str()).1;
        (name.clone(), Secret::new(value.to_owned()))
    };
    pairs.iter().filter(is_secret).map(take).collect()
}

fn templates_of(transport: &Transport) -> Vec<&Template> {
    match transport {
        Transport::Stdio { command, args, env } => {
            let env = env.iter().map(|(_, value)| value);
            std::iter::once(command).chain(args).chain(env).collect()
        }
        Transport::Http { url, headers } => {
            std::iter::once(url).chain(headers.iter().map(|(_, value)| value)).collect()
        }
    }
}
