import PushModel
import TestSupport
import Testing

@Suite struct AppIconTests {
    private static func fault(_ png: [UInt8]) -> String? {
        do throws(AppIcon.Fault) {
            _ = try AppIcon(png: png)
            return nil
        } catch { return error.description }
    }

    @Test func `a picture has the size that its header states`() throws {
        let icon = try AppIcon(png: AppIcon.examplePNG(width: 300, height: 48, filling: 1_000))
        #expect(icon.width == 300 && icon.height == 48 && icon.facts.bytes == icon.png.count)
        #expect(Self.fault(AppIcon.examplePNG(width: 8_192, height: 8_192)) == nil)
    }

    @Test(arguments: [(47, 48), (48, 47), (0, 0), (8_193, 48), (48, 0xFFFF_FFFF)])
    func `a picture that is too small or too large is refused with its size`(width: Int, height: Int) {
        let why = Self.fault(AppIcon.examplePNG(width: width, height: height))
        #expect(why == "is \(width) by \(height) pixels; each side must be 48 to 8192")
    }

    @Test func `data that is not a complete PNG is refused, wherever it is truncated`() {
        let png = AppIcon.examplePNG(width: 48, height: 48)
        for length in 0..<png.count {
            #expect(
                ["is not a PNG", "is a truncated PNG"].contains(Self.fault(Array(png.prefix(length)))))
        }
        for place in 0..<16 {
            var broken = png
            broken[place] ^= 1
            #expect(Self.fault(broken) == "is not a PNG")
        }
        #expect(Self.fault(png + [0]) == "is a truncated PNG")
        #expect(Self.fault(Array("GIF89a".utf8)) == "is not a PNG")
    }

    @Test func `a picture with very many bytes is refused`() {
        let bytes = AppIcon.maximumBytes - AppIcon.examplePNG(width: 48, height: 48).count
        #expect(Self.fault(AppIcon.examplePNG(width: 48, height: 48, filling: bytes)) == nil)
        let why = Self.fault(AppIcon.examplePNG(width: 48, height: 48, filling: bytes + 1))
        #expect(why == "is larger than 262144 bytes; reduce its size")
    }
}
