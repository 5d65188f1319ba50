internal import ArgumentParser

/// What `run` is told of faults that come by themselves.
struct WeatherOptions: ParsableArguments {
    static let names = WeatherFault.allCases.map(\.rawValue).joined(separator: ",")

    @Option(help: "Faults by this seed, on APNs, FCM and the binary gateway. (default: none)")
    var weather: UInt64?

    @Option(help: "Which, with commas. (default: \(names))")
    var weatherFaults: String?

    @Option(help: "So many accepted requests between two faults of a port, on average.")
    var weatherEvery = 500

    @Option(
        name: .customLong("weather-silence-ms"),
        help: "How long half-open connections are silent, then closed.")
    var weatherSilenceMs: UInt64 = 3000

    @Option(help: "The faults of a port at most, then calm. (default: no limit)")
    var weatherCount: Int?

    @Option(help: "Break off every Nth TLS handshake, counted on each port. (default: none)")
    var breakHandshakes: Int?

    func validate() throws {
        guard weatherEvery >= 1 else { throw ValidationError("--weather-every needs a number from 1") }
        guard weatherCount ?? 0 >= 0 else { throw ValidationError("--weather-count needs a number from 0") }
        guard breakHandshakes ?? 1 >= 1 else {
            throw ValidationError("--break-handshakes needs a number from 1")
        }
        guard weatherSilenceMs <= 86_400_000 else {
            throw ValidationError("--weather-silence-ms needs a number up to 86400000")
        }
        if let wrong = words.first(where: { WeatherFault(rawValue: $0) == nil }) {
            throw ValidationError("--weather-faults knows no '\(wrong)'; allowed: \(Self.names)")
        }
        if weather == nil, weatherFaults != nil || weatherCount != nil {
            throw ValidationError("options of the weather need --weather")
        }
    }

    private var words: [String] { (weatherFaults ?? Self.names).split(separator: ",").map(String.init) }

    private var forecast: WeatherForecast? {
        weather.map {
            WeatherForecast(
                seed: $0, faults: Set(words.compactMap(WeatherFault.init)), every: weatherEvery,
                silence: .milliseconds(weatherSilenceMs), count: weatherCount)
        }
    }

    /// The script of a port, under the weather.
    func over(_ script: [any GatewayBehaviour], of dialect: RuleDialect) -> [any GatewayBehaviour] {
        forecast?.over(script, of: dialect) ?? script
    }

    /// Nil: everybody may come in.
    func door(of dialect: RuleDialect) -> Door? {
        breakHandshakes.map { Door.every($0) } ?? forecast?.door(of: dialect)
    }
}
