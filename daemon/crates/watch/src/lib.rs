//! Crawl, watch and barrier.
