package import PushModel

extension AppIcon {
    /// Returns an icon with only those parts of a PNG that are examined: its size and its end.
    package static func example(width: Int = 48, height: Int = 48) throws -> AppIcon {
        try AppIcon(png: examplePNG(width: width, height: height))
    }

    /// - Parameter filling: The number of bytes between the first chunk and the last.
    package static func examplePNG(width: Int, height: Int, filling: Int = 0) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        let beginning: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
        ]
        let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
        return beginning + number(width) + number(height) + [8, 6, 0, 0, 0, 0, 0, 0, 0]
            + [UInt8](repeating: 0, count: filling) + end
    }
}
