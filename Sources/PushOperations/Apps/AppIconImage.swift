internal import FoundationEssentials
internal import PushModel

/// A PNG, which JSON contains in base64. The use case that takes it checks the image.
package struct AppIconImage: TextValue, Equatable {
    package var png: [UInt8]

    package init(png: [UInt8]) { self.png = png }

    package static var allowed: String { "base64" }
    package static var example: String { "" }
    package var jsonText: String { Data(png).base64EncodedString() }
    package init?(jsonText text: String) {
        guard let data = Data(base64Encoded: text) else { return nil }
        self.init(png: Array(data))
    }

    func icon() throws(OperationError) -> AppIcon {
        do throws(AppIcon.Fault) { return try AppIcon(png: png) } catch {
            throw .refused("the icon \(error)")
        }
    }
}
