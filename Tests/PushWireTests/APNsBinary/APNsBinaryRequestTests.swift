import GatewayAPNsBinary
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct APNsBinaryRequestTests {
    /// A frame as a gateway decodes it, with its items by name.
    private struct Reading {
        var items: [UInt8: [UInt8]] = [:]
        var order: [UInt8] = []

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 5, bytes[0] == 2, Self.integer(bytes[1..<5]) == bytes.count - 5 else {
                return nil
            }
            var rest = bytes[5...]
            while !rest.isEmpty {
                guard rest.count >= 3 else { return nil }
                let name = rest.removeFirst()
                let length = Self.integer(rest.prefix(2))
                rest = rest.dropFirst(2)
                guard rest.count >= length, items[name] == nil else { return nil }
                items[name] = Array(rest.prefix(length))
                order.append(name)
                rest = rest.dropFirst(length)
            }
        }

        static func integer(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    }

    private func frame(
        token: String, payload: [UInt8], identifier: UInt32 = 1, expiration: UInt32 = 2, priority: UInt8 = 10,
        capacity: Int = APNsBinaryRequest.maximumBytes(payload: APNsBinaryRequest.largestPayloadBytes)
    ) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0xEE, count: capacity)
        let size = unsafe buffer.withUnsafeMutableBytes { buffer in
            let head = unsafe Array(token.utf8).withUnsafeBytes {
                unsafe APNsBinaryRequest.writeHead(token: $0, into: buffer)
            }
            guard head > 0, payload.count <= buffer.count - head else { return 0 }
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[head...]).copyBytes(from: payload)
            return unsafe APNsBinaryRequest.finish(
                head: head, payload: payload.count, identifier: identifier, expiration: expiration,
                priority: priority,
                in: buffer)
        }
        // The memory beyond the frame belongs to another owner.
        #expect(buffer[size...].allSatisfy { $0 == 0xEE } || size == 0)
        return size > 0 ? Array(buffer.prefix(size)) : nil
    }

    @Test func `a frame matches Apple's documentation byte for byte`() throws {
        let bytes = try #require(
            frame(
                token: "0a1bff", payload: Array("{}".utf8), identifier: 0x0102_0304, expiration: 0x6543_2100,
                priority: 5))
        #expect(
            bytes == [
                2, 0, 0, 0, 29,
                1, 0, 3, 0x0A, 0x1B, 0xFF,
                2, 0, 2, 0x7B, 0x7D,
                3, 0, 4, 1, 2, 3, 4,
                4, 0, 4, 0x65, 0x43, 0x21, 0,
                5, 0, 1, 5,
            ])
    }

    @Test func `tokens and payloads of every length are written unchanged`() throws {
        var dice = SeededRandom(seed: 4)
        for tokenBytes in 1...APNsBinaryRequest.maximumTokenBytes {
            let token = (0..<tokenBytes).map { _ in UInt8.random(in: 0...255, using: &dice) }
            let text = token.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let payload = (0..<Int.random(in: 0...APNsBinaryRequest.largestPayloadBytes, using: &dice)).map {
                _ in
                UInt8.random(in: 0...255, using: &dice)
            }
            let identifier = UInt32.random(in: 0...UInt32.max, using: &dice)
            let expiration = UInt32.random(in: 0...UInt32.max, using: &dice)
            let spelled = Bool.random(using: &dice) ? text : text.uppercased()
            let bytes = try #require(
                frame(token: spelled, payload: payload, identifier: identifier, expiration: expiration))
            let reading = try #require(Reading(bytes))
            #expect(reading.order == [1, 2, 3, 4, 5])
            #expect(reading.items[APNsBinaryRequest.Item.token] == token)
            #expect(reading.items[APNsBinaryRequest.Item.payload] == payload)
            #expect(reading.items[APNsBinaryRequest.Item.identifier].map(Reading.integer) == Int(identifier))
            #expect(reading.items[APNsBinaryRequest.Item.expiration].map(Reading.integer) == Int(expiration))
            #expect(reading.items[APNsBinaryRequest.Item.priority] == [10])
        }
    }

    @Test func `each byte is either decoded as a hexadecimal digit or refused`() {
        let digits = Array("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min...UInt8.max {
            // The byte is in a group of eight bytes, which are read together, or in the rest.
            for (length, place) in [(8, 0), (8, 7), (10, 8), (2, 1)] {
                var text = [UInt8](repeating: UInt8(ascii: "0"), count: length)
                text[place] = byte
                var buffer = [UInt8](repeating: 0, count: 100)
                let head = unsafe buffer.withUnsafeMutableBytes { buffer in
                    unsafe text.withUnsafeBytes {
                        unsafe APNsBinaryRequest.writeHead(token: $0, into: buffer)
                    }
                }
                #expect((head > 0) == digits.contains(byte), "byte \(byte) at \(place) of \(length)")
                guard head > 0, let value = Character(Unicode.Scalar(byte)).hexDigitValue else { continue }
                #expect(buffer[8 + place / 2] == UInt8(place % 2 == 0 ? value << 4 : value))
            }
        }
    }

    @Test(arguments: ["", "a", "abc", "zz", "0x12", String(repeating: "a", count: 202)])
    func `an invalid token yields no frame`(token: String) {
        #expect(frame(token: token, payload: []) == nil)
    }

    @Test func `a buffer that is too small is not written to, whatever its size`() throws {
        let token = String(repeating: "ab", count: 32)
        let whole = try #require(frame(token: token, payload: [1, 2, 3]))
        #expect(whole.count == 61 + 3)
        for capacity in 0..<whole.count {
            #expect(frame(token: token, payload: [1, 2, 3], capacity: capacity) == nil)
        }
        #expect(frame(token: token, payload: [1, 2, 3], capacity: whole.count) == whole)
        let long = [UInt8](repeating: 1, count: APNsBinaryRequest.largestPayloadBytes + 1)
        #expect(frame(token: token, payload: long, capacity: 8_192) == nil)
        let longest = frame(token: String(repeating: "ab", count: 100), payload: long.dropLast())
        #expect(longest?.count == APNsBinaryRequest.maximumBytes(payload: long.count - 1))
    }

    @Test(arguments: [
        (-1 as Int64, 0 as UInt32), (0, 0), (1_800_000_000, 1_800_000_000), (4_294_967_295, .max),
        (4_294_967_296, .max),
    ])
    func `an expiration beyond the range of the format becomes the latest possible moment`(
        seconds: Int64, expected: UInt32
    ) {
        #expect(APNsBinaryRequest.expiration(WallTime(secondsSince1970: seconds)) == expected)
    }
}
