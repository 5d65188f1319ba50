/// The problem with a certificate, a key or a .p12. The error never contains bytes from them.
package enum IdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The data is not in the right format, or is damaged. The text is OpenSSL's.
    case unreadable(String)
    /// The text is not PEM, although PEM was expected.
    /// - Parameter why: A description of what the text is or lacks. It follows the name of the file.
    case notPEM(String)
    case wrongPassword
    /// An algorithm that the installed OpenSSL does not support.
    case unsupported(String)
    case noCertificate
    case noKey
    /// The key belongs to another certificate.
    case keyOfAnotherCertificate
    /// The key needs a password, which this kind of file does not support.
    case keyIsEncrypted

    package var description: String {
        switch self {
        case .unreadable(let why):
            "cannot be read as a certificate or key file" + (why.isEmpty ? "" : " (\(why))")
        case .notPEM(let why): why
        case .wrongPassword: "the password is wrong"
        case .unsupported(let why):
            """
            is encrypted in a way that the installed OpenSSL does not support (\(why)); export it again with \
            AES encryption
            """
        case .noCertificate: "does not contain a certificate"
        case .noKey: "does not contain a private key"
        case .keyOfAnotherCertificate: "the private key does not belong to the certificate"
        case .keyIsEncrypted: "the private key is encrypted; remove its password or use a .p12 file"
        }
    }
}
