internal import PushConfig
internal import PushModel

/// The number of frames per second that one child can send to the old binary gateway: the maximum number of
/// unconfirmed frames, divided by the confirmation time. A note is produced only if the configuration file
/// mentions that gateway.
struct ConfirmedRate {
    private let assembly: SettingsAssembly

    init(_ assembly: SettingsAssembly) { self.assembly = assembly }

    /// The note for the operator; `nil` if the configuration file does not mention the gateway.
    var note: Finding? {
        let frames = \ServerConfiguration.nmac.iosBinary.unconfirmedFrames
        let silence = \ServerConfiguration.nmac.iosBinary.confirmAfterSec
        let gateway = \ServerConfiguration.nmac.iosBinary.gateway
        guard assembly.hasElement(of: frames) else { return nil }
        let settings = assembly.settings
        let capacity = settings[keyPath: frames], seconds = settings[keyPath: silence]
        let usual = capacity - DeliveryPriority.reserve(of: capacity)
        let rate = usual / max(seconds, 1)
        let text =
            "\(assembly.path(of: frames)): \(usual) frames (of \(capacity), with an eighth reserved for "
            + "priorities above normal) ÷ \(seconds) s in \(assembly.path(of: silence)) let each child "
            + "send \(rate > 0 ? "\(rate) messages" : "less than a message") a second to an app of "
            + "connector ios; \(capacity) is also the maximum number of duplicates when a connection "
            + "ends without notice"
        return assembly.note(text, at: [frames, silence, gateway], orElementOf: frames, for: [.ios])
    }
}
