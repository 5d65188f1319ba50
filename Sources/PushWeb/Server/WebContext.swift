internal import Hummingbird
internal import NIOCore
internal import PushModel

/// What routes know of a request beside its words.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who is at the other end of the connection; nil: nobody with an address.
    let peer: IPAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = IPAddress(source.channel.remoteAddress)
    }
}
