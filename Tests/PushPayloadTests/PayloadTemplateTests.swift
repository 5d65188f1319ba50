import Foundation
import GatewayAPNs
import PushModel
import PushPayload
import Testing

@Suite struct PayloadTemplateTests {
    private let identity = OpaqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    private func template(
        body: String, tracking: Bool = true, idFormat: MessageIDFormat = .uuid, limitBytes: Int = 4096
    ) throws -> PayloadTemplate {
        try PayloadTemplate.apns(
            content: Content(body: body), variables: [], delivery: DeliveryID(rawValue: 77),
            tracking: tracking,
            idFormat: idFormat, limitBytes: limitBytes)
    }

    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test func `the id of a message has the format that the app requests`() throws {
        #expect(
            text(try template(body: "x").rendered(identity: identity, integerID: 42).bytes)
                == #"{"aps":{"alert":{"body":"x"}},"_mId":"01234567-89ab-cdef-fedc-ba9876543210","_dId":"77"}"#
        )
        #expect(
            text(
                try template(body: "x", idFormat: .integer).rendered(identity: identity, integerID: 42).bytes)
                == #"{"aps":{"alert":{"body":"x"}},"_mId":"42","_dId":"77"}"#)
    }

    @Test func `if tracking is off, all devices get the same payload`() throws {
        let template = try template(body: "x", tracking: false)
        #expect(
            text(template.rendered(identity: identity, integerID: 1).bytes)
                == #"{"aps":{"alert":{"body":"x"}}}"#)
        #expect(
            template.rendered(identity: OpaqueID(high: 1, low: 2), integerID: 9).bytes
                == template.rendered(identity: identity, integerID: 1).bytes)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 1_000_000_000, 2_147_483_647, Int64.max, -1, Int64.min])
    func `any ordinal number is written in full`(ordinal: Int64) throws {
        let bytes = try template(body: "x", idFormat: .integer).rendered(
            identity: identity, integerID: ordinal
        ).bytes
        #expect(text(bytes) == #"{"aps":{"alert":{"body":"x"}},"_mId":"\#(ordinal)","_dId":"77"}"#)
    }

    @Test(arguments: MessageIDFormat.allCases)
    func `the payload limit is exact to the byte`(idFormat: MessageIDFormat) throws {
        let empty = try template(body: "x", idFormat: idFormat).widestBytes - 1
        let fitting = try template(body: String(repeating: "y", count: 4096 - empty), idFormat: idFormat)
        #expect(fitting.widestBytes == 4096)
        #expect(fitting.rendered(identity: identity, integerID: 2_147_483_647).bytes?.count == 4096)
        #expect(throws: PayloadError.tooLong(bytes: 4097, limit: 4096)) {
            try template(body: String(repeating: "y", count: 4097 - empty), idFormat: idFormat)
        }
    }

    @Test func `characters count as the number of bytes that the gateway receives`() throws {
        let plain = try template(body: "ab").widestBytes
        #expect(try template(body: "é").widestBytes == plain)
        #expect(try template(body: "👍").widestBytes == plain + 2)
        #expect(try template(body: "\u{1}").widestBytes == plain + 4)
    }

    @Test func `a message that exceeds the limit is measured and not rendered`() throws {
        let size = try template(body: "x", idFormat: .integer).widestBytes
        let tight = try template(body: "x", idFormat: .integer, limitBytes: size)
        var buffer = [UInt8](repeating: 0x2A, count: 4096)
        let rendering = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe tight.render(into: buffer, identity: identity, integerID: 10_000_000_000)
        }
        #expect(rendering == .tooLarge(bytes: size + 1))
        #expect(buffer.allSatisfy { $0 == 0x2A })
    }

    @Test func `a buffer that is too small stays unchanged`() throws {
        let template = try template(body: "x")
        for room in 0...template.widestBytes {
            var buffer = [UInt8](repeating: 0x2A, count: template.widestBytes)
            let rendering = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe template.render(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]), identity: identity,
                    integerID: 1)
            }
            if room == template.widestBytes {
                #expect(rendering == .bytes(room))
            } else {
                #expect(rendering == .tooLarge(bytes: template.widestBytes))
                #expect(buffer.allSatisfy { $0 == 0x2A })
            }
        }
    }
}
