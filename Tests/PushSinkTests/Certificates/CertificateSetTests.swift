import Foundation
import Testing
import pushsink

@Suite struct CertificateSetTests {
    @Test func `a set has every file in the listing, and only the owner can read the files`() throws {
        try withTemporarySet { set in
            let names = CertificateSet.listing.split(separator: "\n").map {
                String($0.prefix { $0 != " " }).replacing("<KEYID>", with: set.account.keyID)
            }
            #expect(Set(Files.names(in: set.directory)).subtracting([".", ".."]) == Set(names))
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: set.path(name))
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            #expect(set.account.keyID.count == 10 && set.account.teamID.count == 10)
        }
    }

    @Test func `one PKCS#12 file has the modern format, and another has the Keychain format`() throws {
        // Object identifiers as DER: pbeWithSHA1And40BitRC2-CBC and aes256-CBC.
        let rc2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x06]
        let aes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2A]
        try withTemporarySet { set in
            let modern = try Files.read(set.path(CertificateSet.Name.clientP12))
            let keychain = try Files.read(set.path(CertificateSet.Name.clientRC2))
            #expect(modern.contains(aes) && !modern.contains(rc2))
            #expect(keychain.contains(rc2) && !keychain.contains(aes))
        }
    }

    @Test func `an existing set is replaced only if requested`() throws {
        try withTemporarySet { set in
            #expect(throws: SinkError.self) { try CertificateSet.make(in: set.directory) }
            let next = try CertificateSet.make(in: set.directory, replacing: true)
            #expect(next.account.keyID != set.account.keyID)
            #expect(!Files.exists(set.path(CertificateSet.Name.providerKey(set.account.keyID))))
            #expect(try next.providerKeys().map(\.id) == [next.account.keyID])
        }
    }

    @Test func `the error for a missing or unexpected file names the file and the remedy`() throws {
        try withTemporarySet { set in
            try Files.replace(set.path(CertificateSet.Name.account), with: Array(#"{"keyID":1}"#.utf8))
            let odd = #expect(throws: SinkError.self) { try CertificateSet(directory: set.directory) }
            #expect(odd?.description.contains("apns.json does not contain") == true)
            try Files.remove(set.path(CertificateSet.Name.server))
            let missing = #expect(throws: SinkError.self) { try CertificateSet(directory: set.directory) }
            #expect(missing?.description.contains("server.pem is missing; 'pushsink certs") == true)
        }
        let nowhere = #expect(throws: SinkError.self) { try CertificateSet(directory: "/nonexistent/certs") }
        #expect(nowhere?.description.contains("no such directory") == true)
    }
}

/// Provides a set of certificates for the duration of `body`.
func withTemporarySet(_ body: (CertificateSet) throws -> Void) throws {
    let directory = try Files.makeTemporaryDirectory()
    defer { Files.removeDirectory(directory) }
    try body(try CertificateSet.make(in: directory))
}

extension [UInt8] {
    func contains(_ part: [UInt8]) -> Bool { indices.contains { self[$0...].starts(with: part) } }
}
