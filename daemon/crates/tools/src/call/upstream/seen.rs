//! The views of all sessions, kept while nothing changes.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::bare::Rival;
use super::catalog::Gateway;
use super::links::ServedLinks;
use super::listed::Listed;
use super::offers::Offers;
use super::parked::ParkedCalls;
use super::question::allowed_way;
use super::rules::{Rules, Target, Who};
use super::variants::variant_of;
use super::view::View;
use crate::Session;
use crate::call::memos::Recent;
use crate::call::origin::Way;

/// The upstream tools of a process, and who sees which.
#[derive(Default)]
pub(crate) struct UpstreamTools {
    pub(crate) gateway: Gateway,
    /// By the catalog's number and by the rules that apply. Sessions with the same rules share one.
    views: Recent<(u64, Vec<u8>), Arc<View>, 16>,
    /// The same for prompts and resources. Fewer, because each has the text of its lists.
    offers: Recent<(u64, Vec<u8>), Arc<Offers>, 8>,
    /// The resources that sessions got links to.
    pub(crate) links: ServedLinks,
    /// The upstreams whose advice a session has got.
    introduced: Mutex<HashSet<(u64, String)>>,
    /// The calls that wait for answers of their clients.
    pub(crate) parked: ParkedCalls,
}

impl UpstreamTools {
    /// Returns whether this is the first time that a session gets something of an upstream.
    pub(crate) fn introduce(&self, session: u64, key: &str) -> bool {
        self.introduced.lock().unwrap_or_else(PoisonError::into_inner).insert((session, key.to_owned()))
    }

    /// Forgets a session.
    pub(crate) fn session_ended(&self, session: u64) {
        let mut introduced = self.introduced.lock().unwrap_or_else(PoisonError::into_inner);
        introduced.retain(|(known, _)| *known != session);
        drop(introduced);
        self.parked.session_ended(session);
        self.links.session_ended(session);
    }

    /// Returns what a session sees now whose client can be asked this way.
    pub(crate) fn view(&self, session: &Session, way: &Way) -> Arc<View> {
        let catalog = self.gateway.catalog();
        let rules = Rules::new(&catalog.settings, Who::of(session));
        let mut class = rules.class();
        if catalog.upstreams.iter().any(|one| !one.entry.own.ask.is_empty()) {
            class.push(0);
            class.extend(variant_of(way).bytes());
        }
        let key = (catalog.number, class);
        if let Some(view) = self.views.get(&key) {
            return view;
        }
        let is_listed = |upstream: &Listed, tool: &str| {
            let (ask, key) = (upstream.entry.own.ask, &upstream.key);
            ask.is_empty() || {
                let variant = variant_of(&allowed_way(way.clone(), ask, &rules, key));
                upstream.reading.is_listed_to(&variant, tool)
            }
        };
        let view = Arc::new(View::new(
            Arc::clone(&catalog),
            &|upstream, tool| {
                upstream.entry.own.tools.permits(&tool.name)
                    && is_listed(upstream, &tool.name)
                    && rules.sees(Target::tool(tool))
            },
            &|upstream| rules.sees_upstream(&upstream.key),
            &|rival: &Rival| {
                let upstream = catalog.upstreams.iter().find(|one| *one.key == *rival.key);
                upstream.is_none_or(|one| one.entry.own.tools.permits(&rival.name))
                    && rules.sees(Target::other(&rival.key, &rival.name))
            },
        ));
        self.views.put(key, Arc::clone(&view));
        view
    }

    /// Returns the prompts and resources that a session sees now.
    pub(crate) fn offers(&self, session: &Session) -> Arc<Offers> {
        let catalog = self.gateway.catalog();
        let rules = Rules::new(&catalog.settings, Who::of(session));
        let key = (catalog.number, rules.class());
        if let Some(offers) = self.offers.get(&key) {
            return offers;
        }
        let offers = Arc::new(Offers::new(Arc::clone(&catalog), &rules));
        self.offers.put(key, Arc::clone(&offers));
        offers
    }
}
