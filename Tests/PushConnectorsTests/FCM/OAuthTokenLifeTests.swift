import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import Testing

@Suite struct OAuthTokenLifeTests {
    private let asked = MonotonicTime(nanoseconds: 5_000_000_000)

    private func life(_ seconds: Int64) -> OAuthTokenLife { OAuthTokenLife(asked: asked, seconds: seconds) }

    @Test func `a one-hour token is replaced five minutes before it expires`() {
        let life = life(3_600)
        #expect(!life.isDue(at: asked))
        #expect(!life.isDue(at: asked.advanced(bySeconds: 3_299)))
        #expect(life.isDue(at: asked.advanced(bySeconds: 3_300)))
        #expect(life.isUsable(at: asked.advanced(bySeconds: 3_599)))
        #expect(!life.isUsable(at: asked.advanced(bySeconds: 3_600)))
    }

    @Test func `a one-minute token is replaced after half of its life`() {
        let life = life(60)
        #expect(!life.isDue(at: asked.advanced(bySeconds: 29)))
        #expect(life.isDue(at: asked.advanced(bySeconds: 30)))
        #expect(life.isUsable(at: asked.advanced(bySeconds: 59)))
    }
}
