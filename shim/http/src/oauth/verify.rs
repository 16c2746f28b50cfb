//! Signatures, checked by ring, which the program has for TLS already.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
    VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(unsupported()),
    verifier_factory: make_verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes it what the library checks with. Before anything is checked; a second time does nothing.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

fn unsupported() -> Error {
    ErrorKind::InvalidAlgorithm.into()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the library wants it so")]
fn make_verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    match algorithm {
        Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA => {
            Ok(Box::new(RingVerifier { algorithm: *algorithm, key: key.clone() }))
        }
        _ => Err(unsupported()),
    }
}

struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let checked = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => {
                verify_with(&ECDSA_P256_SHA256_FIXED, point, message, signature)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(point)) => {
                verify_with(&ED25519, point, message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        checked.map_err(|_| signature::Error::new())
    }
}

fn verify_with(
    algorithm: &'static dyn VerificationAlgorithm,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<(), ring::error::Unspecified> {
    UnparsedPublicKey::new(algorithm, key).verify(message, signature)
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
