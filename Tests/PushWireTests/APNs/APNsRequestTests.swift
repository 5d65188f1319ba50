import GatewayAPNs
import PushModel
import PushWire
import Testing

@Suite struct APNsRequestTests {
    private func fields(authorization: String? = nil, _ ios: IOSContent = IOSContent()) -> [HeaderField] {
        APNsRequest.constantFields(
            authority: "api.push.apple.com", bundleID: "com.example.app", heading: APNsHeading(ios),
            expiration: WallTime(secondsSince1970: 1_795_255_200), authorization: authorization)
    }

    @Test func `the constant fields are those that Apple requires, with pseudo-header fields first`() {
        #expect(
            fields().map { "\($0.name)=\($0.value)" } == [
                ":method=POST", ":scheme=https", ":authority=api.push.apple.com",
                "apns-topic=com.example.app",
                "apns-push-type=alert", "apns-priority=10", "apns-expiration=1795255200",
            ])
        #expect(fields().allSatisfy { !$0.isSecret })
    }

    @Test func `the authorization field is present if a token is given, and is never indexed`() {
        #expect(
            fields(authorization: "bearer x").last
                == HeaderField(name: "authorization", value: "bearer x", isSecret: true))
    }

    @Test func `a collapse id is sent if the content has one`() {
        var ios = IOSContent()
        ios.collapseID = "order"
        #expect(fields(ios).contains(HeaderField(name: "apns-collapse-id", value: "order")))
        #expect(!fields().contains { $0.name == "apns-collapse-id" })
    }

    @Test func `a topic is a bundle id that cannot break out of its header field`() {
        for topic in ["com.example.app", "com.Example-1.a_b.voip", "a"] {
            #expect(APNsRequest.isTopic(topic))
        }
        for text in ["", "com.a\r\nx: y", "com a", "com.é", String(repeating: "a", count: 256)] {
            #expect(!APNsRequest.isTopic(text))
        }
    }

    private func path(of token: String, capacity: Int) -> (written: Int, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0x2A, count: capacity)
        let token = Array(token.utf8)
        let written = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe token.withUnsafeBytes { unsafe APNsRequest.writePath(of: $0, into: buffer) }
        }
        return (written, bytes)
    }

    @Test func `a path consists of the prefix and the token`() {
        for length in [0, 1, 2, 63, 64, 200] {
            let token = String(repeating: "a", count: length)
            let expected = APNsRequest.pathPrefix + token
            let (written, bytes) = path(of: token, capacity: APNsRequest.maximumPathBytes)
            #expect(String(decoding: bytes[..<written], as: UTF8.self) == expected)
            #expect(bytes[written...].allSatisfy { $0 == 0x2A })
            #expect(path(of: token, capacity: expected.utf8.count).written == expected.utf8.count)
            let short = path(of: token, capacity: expected.utf8.count - 1)
            #expect(short.written == 0)
            #expect(short.bytes.allSatisfy { $0 == 0x2A })
        }
    }

    @Test func `an apns-id is the message's id with version 8 and the RFC 9562 variant`() {
        var bytes = [UInt8](repeating: 0x2A, count: APNsRequest.idBytes)
        let id = OpaqueID(high: 0x0123_4567_89AB_CDEF, low: 0x3EDC_BA98_7654_3210)
        let written = unsafe bytes.withUnsafeMutableBytes { unsafe APNsRequest.writeID(id, into: $0) }
        #expect(written == 36)
        #expect(String(decoding: bytes, as: UTF8.self) == "01234567-89ab-8def-bedc-ba9876543210")
        var short = [UInt8](repeating: 0x2A, count: 35)
        #expect(unsafe short.withUnsafeMutableBytes { unsafe APNsRequest.writeID(id, into: $0) } == 0)
        #expect(short.allSatisfy { $0 == 0x2A })
    }
}
