/// What is wrong with a certificate, a key or a .p12. Never holds any of their bytes.
package enum IdentityTrouble: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not the format at all, or damaged. OpenSSL's words.
    case unreadable(String)
    /// A text in which PEM was expected. - Parameter why: what it is or lacks; completes the name of the
    /// file.
    case notPEM(String)
    case wrongPassword
    /// An algorithm that the installed OpenSSL does not have.
    case unsupported(String)
    case noCertificate
    case noKey
    /// The key is another certificate's.
    case keyOfAnotherCertificate
    /// The key needs a password, and this kind of file has no place for one.
    case keyIsEncrypted

    package var description: String {
        switch self {
        case .unreadable(let why):
            "cannot be read as a certificate or key file" + (why.isEmpty ? "" : " (\(why))")
        case .notPEM(let why): why
        case .wrongPassword: "the password is wrong"
        case .unsupported(let why): "is encrypted in a way that OpenSSL does not support here (\(why))"
        case .noCertificate: "holds no certificate"
        case .noKey: "holds no private key"
        case .keyOfAnotherCertificate: "the private key does not belong to the certificate"
        case .keyIsEncrypted: "the private key is encrypted; remove its password or use a .p12 file"
        }
    }
}
