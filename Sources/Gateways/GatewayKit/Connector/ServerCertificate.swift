internal import PushTransport

/// The certificate of a server on this machine, and its key.
package enum ServerCertificate {
    /// - Throws: A description of the problem with the pair or the key, which completes "FILE …".
    package static func check(chainPEM: [UInt8], keyPEM: [UInt8]) throws(ConnectorError) {
        do throws(TransportError) { try Certificate.check(chainPEM: chainPEM, keyPEM: keyPEM) } catch {
            throw ConnectorError("\(error)")
        }
    }
}
