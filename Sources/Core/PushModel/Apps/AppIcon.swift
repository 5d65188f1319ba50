/// An app's icon, which the operators of the app see: a PNG of at least ``minSide`` pixels in each
/// dimension.
package struct AppIcon: Equatable, Sendable {
    package let png: [UInt8]
    /// The width in pixels.
    package let width: Int
    package let height: Int

    package static let minSide = 48
    package static let maximumBytes = 256 << 10
    private static let greatestSide = 8_192

    /// The reason why bytes are not an icon, worded to follow "the icon".
    package struct Fault: Error, Equatable, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }

    /// Checks the beginning and the end of the PNG, but not the image data.
    package init(png: [UInt8]) throws(Fault) {
        guard png.count <= Self.maximumBytes else {
            throw Fault("is larger than \(Self.maximumBytes) bytes; reduce its size")
        }
        guard png.starts(with: Self.signature), png.count >= Self.signature.count + 25,
            Array(png[8..<16]) == Self.header
        else { throw Fault("is not a PNG") }
        guard png.suffix(Self.end.count).elementsEqual(Self.end) else {
            throw Fault("is a truncated PNG")
        }
        (width, height) = (Self.number(in: png, at: 16), Self.number(in: png, at: 20))
        guard min(width, height) >= Self.minSide, max(width, height) <= Self.greatestSide else {
            throw Fault(
                "is \(width) by \(height) pixels; each side must be \(Self.minSide) to \(Self.greatestSide)"
            )
        }
        self.png = png
    }

    /// Portable Network Graphics (ISO/IEC 15948), 5.2.
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The length and name of the first chunk, `IHDR`. Width and height follow.
    private static let header: [UInt8] = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    /// The last chunk, `IEND`, with its checksum.
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    private static func number(in bytes: [UInt8], at place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The facts about an icon that are shown to operators.
    package struct Facts: Codable, Equatable, Sendable {
        package var width: Int
        package var height: Int
        package var bytes: Int
        package init(width: Int, height: Int, bytes: Int) {
            self.width = width
            self.height = height
            self.bytes = bytes
        }
    }

    package var facts: Facts { Facts(width: width, height: height, bytes: png.count) }
}
