internal import GatewayKit
internal import PushConnectors
internal import PushModel
internal import PushPayload
internal import PushWire

/// What subscribers of one app would get of a delivery that is not there yet: its ids are placeholders, as wide
/// as ids can be (zeros, or the greatest number).
struct PayloadPreview {
    /// Whether subscribers' own values or languages stand in it, so that each one's may end in another way.
    var isPersonalised: Bool { template.isPersonalised }

    /// Those that get something of their own.
    var languages: [LanguageTag] { template.ownLanguages }

    private let template: PayloadTemplate
    private let secondsToLive: Int64
    private let entry: ConnectorEntry?

    /// `_mId` where the app's ids are opaque.
    private static let identity = OpaqueID(high: 0, low: 0)
    /// `_mId` where they are integers, and `_dId`.
    private static let number = PayloadCheck.widestID.rawValue

    /// - Parameter expiresAt: the end of the delivery's validity, and from when that counts.
    init(
        of content: Content, tracking: Bool, for app: App, from begin: WallTime, expiresAt: WallTime
    ) throws(PayloadError) {
        template = try PayloadCheck.template(of: content, tracking: tracking, for: app)
        entry = ConnectorCatalogue.speaking(for: app.settings)
        secondsToLive = entry?.secondsToLive(expiresAt, begin) ?? 0
    }

    /// - Parameters:
    ///   - token: UTF-8.
    ///   - filling: a ``PushModel/MessageFilling``.
    func rendered(token: [UInt8], filling: [UInt8]) -> PayloadTemplate.Rendered {
        template.rendered(
            identity: Self.identity, integerID: Self.number, token: spelled(token),
            secondsToLive: secondsToLive, parameters: filling)
    }

    /// Whether what a device gets is shorter than the content says, so that its gateway takes it.
    func isShortened(token: [UInt8], filling: [UInt8]) -> Bool {
        template.isShortened(
            identity: Self.identity, integerID: Self.number, token: spelled(token),
            secondsToLive: secondsToLive, parameters: filling)
    }

    /// Which of ``languages`` a device gets; nil: none of them, but what all others get.
    func language(of filling: [UInt8]) -> LanguageTag? { template.language(of: filling) }

    /// - Parameters:
    ///   - bytes: what was rendered.
    ///   - token: with this one.
    ///   - filling: and with this.
    func view(of bytes: [UInt8], token: [UInt8], filling: [UInt8]) -> PayloadView {
        PayloadView(
            payload: String(decoding: bytes, as: UTF8.self),
            bytes: template.countedBytes(
                of: bytes.count, token: spelled(token), secondsToLive: secondsToLive, filling: filling),
            limitBytes: template.limitBytes)
    }

    /// A template that takes a list is given one of one token.
    private func spelled(_ token: [UInt8]) -> [UInt8] {
        template.takesTokenList ? entry?.listed(token) ?? token : token
    }
}

/// A payload as its gateway would get it.
package struct PayloadView: View, Equatable {
    package static let about = [
        "payload": "as the gateway would receive it; ids in it are placeholders",
        "bytes": "as the gateway counts them: for FCM without what surrounds `data` and `notification`",
    ]

    package var payload: String
    package var bytes: Int
    package var limitBytes: Int
}
