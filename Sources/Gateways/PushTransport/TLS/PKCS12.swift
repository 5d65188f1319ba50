internal import CPushShims
internal import PushModel

/// Reads a `.p12` or `.pfx` file. See also ``Certificate``.
package enum PKCS12 {
    /// Returns the certificate with its chain, leaf first, and the certificate's key, all as PEM. Also reads
    /// files that a keychain exports with RC2-40, for which OpenSSL 3 needs its legacy provider.
    ///
    /// - Parameter password: The password, which may be empty. If it is empty, files with an empty password
    ///   and files without a password can both be read.
    /// - Throws: ``TransportError`` `.identity`, which distinguishes a wrong password from an unreadable
    ///   file.
    package static func read(
        _ file: [UInt8], password: String
    ) throws(TransportError) -> TLSIdentity.ClientCertificate {
        var certificates = push_bytes()
        var key = push_bytes()
        var why = [CChar](repeating: 0, count: 200)
        let status = file.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return PUSH_IDENTITY_UNREADABLE }
            return push_pkcs12_read(start, bytes.count, password, &certificates, &key, &why, why.count)
        }
        defer {
            push_bytes_free(&certificates)
            push_bytes_free(&key)
        }
        let words = String(printable: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        if let failure = IdentityError(status, why: words) { throw TransportError(.identity(failure)) }
        return TLSIdentity.ClientCertificate(
            chainPEM: Array(UnsafeBufferPointer(start: certificates.bytes, count: certificates.count)),
            keyPEM: Array(UnsafeBufferPointer(start: key.bytes, count: key.count)))
    }
}

extension IdentityError {
    init?(_ status: push_identity_status, why: String) {
        switch status {
        case PUSH_IDENTITY_OK: return nil
        case PUSH_IDENTITY_WRONG_PASSWORD: self = .wrongPassword
        case PUSH_IDENTITY_UNSUPPORTED: self = .unsupported(why)
        case PUSH_IDENTITY_NO_CERTIFICATE: self = .noCertificate
        case PUSH_IDENTITY_NO_KEY: self = .noKey
        case PUSH_IDENTITY_NO_MEMORY: self = .unreadable("out of memory")
        default: self = .unreadable(why)
        }
    }
}
