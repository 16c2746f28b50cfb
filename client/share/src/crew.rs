//! Several requests at a time.

use std::future::Future;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::trouble::Trouble;

/// Does `work` for each item, at most `most` at a time. Ends with the first failure.
pub(crate) async fn each_of<T, R, W>(
    items: impl IntoIterator<Item = T>,
    most: usize,
    work: impl Fn(T) -> W,
) -> Result<Vec<R>, Trouble>
where
    W: Future<Output = Result<R, Trouble>>,
{
    stream::iter(items).map(work).buffered(most.max(1)).try_collect().await
}
