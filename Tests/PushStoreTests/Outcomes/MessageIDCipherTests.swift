import FoundationEssentials
import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct MessageIDCipherTests {
    /// Expected ids, which another implementation calculated: `openssl kdf HKDF` with info "PushMTA ids",
    /// then `enc -aes-128-ecb`.
    @Test(arguments: [
        (7, 42, "71c75e7a-d055-cd28-1edf-aae70954056c"),
        (0x7FFF_FFFF, Int64.max, "130d5e86-8c9d-b819-5f19-0e49ff78f877"),
    ])
    func `an id is the AES encryption of the delivery number and the message number`(
        delivery: Int64, message: Int64, text: String
    )
        throws
    {
        let cipher = try Self.cipher(keyBytes: Array(0..<32))
        let id = cipher.opaqueID(of: MessageID(rawValue: message), in: DeliveryID(rawValue: delivery))
        #expect(id.text == text)
        let revealed = cipher.reveal(id)
        #expect(revealed.delivery.rawValue == delivery && revealed.message.rawValue == message)
    }

    @Test func `the message is found by the form of its id in apns-id`() throws {
        let cipher = try Self.cipher(keyBytes: Array(0..<32))
        for message in [1, 42, 4_711, 1 << 40] as [Int64] {
            let (delivery, message) = (DeliveryID(rawValue: 7), MessageID(rawValue: message))
            let id = cipher.opaqueID(of: message, in: delivery)
            let found = cipher.reveal(apnsID: id.asUUIDv8)
            #expect(found.count == 1 && found.first?.delivery == delivery && found.first?.message == message)
        }
        #expect(cipher.reveal(apnsID: OpaqueID(high: 1, low: 1)).isEmpty)
    }

    @Test func `ids computed in bulk are the same as ids computed singly`() throws {
        let cipher = try Self.cipher(keyBytes: Array(0..<32))
        let delivery = DeliveryID(rawValue: 7)
        var run = cipher.run(of: delivery)
        // Long runs, gaps, steps back, and the largest number, after which the counter would overflow into
        // the delivery's number.
        let messages = Array(1...1_000) + [1_001, 1_003, 1_009, 5_000, 5_001, 42, 43, 999, 1, .max, .max, 2]
        for message in messages.map({ MessageID(rawValue: Int64($0)) }) {
            #expect(run.id(of: message) == cipher.opaqueID(of: message, in: delivery))
        }
    }

    @Test func `ids differ for each message and delivery, and are the same whenever they are computed`()
        throws
    {
        let cipher = try Self.cipher(keyBytes: Array(0..<32))
        var seen = Set<OpaqueID>()
        for delivery in 1...10 {
            for message in 1...500 {
                let id = cipher.opaqueID(
                    of: MessageID(rawValue: Int64(message)), in: DeliveryID(rawValue: Int64(delivery)))
                #expect(seen.insert(id).inserted)
                #expect(
                    cipher.opaqueID(
                        of: MessageID(rawValue: Int64(message)), in: DeliveryID(rawValue: Int64(delivery)))
                        == id)
            }
        }
    }

    @Test func `an id from another instance reveals nothing`() throws {
        let ours = try Self.cipher(keyBytes: Array(0..<32))
        let theirs = try Self.cipher(keyBytes: Array(1..<33))
        let id = theirs.opaqueID(of: MessageID(rawValue: 42), in: DeliveryID(rawValue: 7))
        let revealed = ours.reveal(id)
        #expect(revealed.delivery.rawValue != 7 && revealed.message.rawValue != 42)
    }

    private static func cipher(keyBytes: [UInt8]) throws -> MessageIDCipher {
        try TemporaryFolder.with { folder in
            let path = folder + "/instance.key"
            try Data(keyBytes).write(to: URL(filePath: path))
            TemporaryFolder.setMode(0o600, of: path)
            return MessageIDCipher(key: try Store.open(path: folder + "/pushmta.db").instanceKey())
        }
    }
}
