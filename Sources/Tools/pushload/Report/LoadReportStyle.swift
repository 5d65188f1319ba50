/// The style of a load report's page. It follows the light or dark setting of the reader's system and suits
/// narrow and wide screens and paper.
enum LoadReportStyle {
    static let text = """
        :root { --ground: #fff; --ink: #1c2024; --faint: #60676e; --rule: #e1e5ea; --card: #f6f8fa;
          --c0: #0b62c4; --c1: #c2410c; --c2: #15803d; --c3: #9333b0; --c4: #a16207; --c5: #0e7490;
          --c6: #be185d; --c7: #6b7280; }
        @media (prefers-color-scheme: dark) { :root { --ground: #14171a; --ink: #e6e9ec; --faint: #9aa3ac;
          --rule: #2b3138; --card: #1c2126; --c0: #5aa9ff; --c1: #ff9a5c; --c2: #5fd38a; --c3: #d59bf0;
          --c4: #e5c15d; --c5: #5fd0e6; --c6: #ff8fb8; --c7: #a8b0b8; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1rem; max-width: 86rem; background: var(--ground); color: var(--ink);
          font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        h1 { margin: .2rem 0; font-size: 1.7rem; }
        h2 { margin: 0 0 .4rem; font-size: 1.25rem; overflow-wrap: anywhere; }
        a { color: var(--c0); }
        .machine, .unit, .conditions, footer { color: var(--faint); }
        section { border-top: 2px solid var(--rule); padding: 1.2rem 0; }
        nav ol { padding-left: 1.4rem; }
        .conditions { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin: 0 0 .8rem; padding: 0;
          list-style: none; font-size: .9rem; }
        .remark { margin: .3rem 0; border-left: 3px solid var(--c1); padding-left: .6rem; }
        .tiles { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); }
        .tiles div { background: var(--card); border-radius: .4rem; padding: .55rem .75rem; }
        .tiles b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
        .tiles span { color: var(--faint); font-size: .85rem; }
        .plots { display: grid; gap: 1rem 1.4rem; margin: 1rem 0;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
        figure { margin: 0; min-width: 0; }
        figcaption { font-weight: 600; font-size: .95rem; }
        .unit { font-weight: 400; font-size: .85rem; }
        svg { display: block; width: 100%; height: auto; }
        svg text { fill: var(--faint); font-size: 11.5px; }
        @media (max-width: 27rem) { svg text { font-size: 13.5px; } }
        .up { text-anchor: end; }
        .across { text-anchor: middle; }
        .grid { stroke: var(--rule); stroke-width: 1; }
        .axis { stroke: var(--faint); stroke-width: 1; }
        .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
        .legend { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: .2rem 0 0; padding: 0 0 0 .4rem;
          list-style: none; font-size: .82rem; }
        .key { display: inline-block; width: 1.1em; height: .25em; margin-right: .4em; vertical-align: middle;
          border-radius: .1em; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
        summary { cursor: pointer; font-weight: 600; }
        dl { columns: 17rem; column-gap: 2.2rem; margin: .5rem 0 0; font-size: .92rem; }
        dl div { display: flex; justify-content: space-between; gap: 1rem; padding: .16rem 0;
          border-bottom: 1px solid var(--rule); break-inside: avoid; }
        dd { margin: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
        footer { border-top: 2px solid var(--rule); font-size: .85rem; }
        \(colours)
        @page { size: A4; margin: 14mm; }
        @media print {
          :root { --ground: #fff; --ink: #000; --faint: #444; --rule: #ccc; --card: #fff; --c0: #0b62c4;
            --c1: #c2410c; --c2: #15803d; --c3: #9333b0; --c4: #a16207; --c5: #0e7490; --c6: #be185d;
            --c7: #6b7280; }
          body { padding: 0; max-width: none; font-size: 10pt; line-height: 1.3; }
          nav, summary { display: none; }
          section { padding: .8rem 0; }
          .summary { break-inside: avoid; break-after: avoid; }
          .plots { grid-template-columns: 1fr 1fr; gap: .5rem 1.2rem; margin: .6rem 0; }
          .tiles { grid-template-columns: repeat(6, 1fr); }
          .tiles div { border: 1px solid var(--rule); padding: .3rem .45rem; }
          .tiles b { font-size: .95rem; white-space: nowrap; }
          .tiles span { font-size: .75rem; }
          figure { break-inside: avoid; }
          svg { width: 94%; }
          dl { columns: 3; column-gap: 1rem; font-size: 8.5pt; break-inside: avoid; }
          dl div { padding: .05rem 0; }
        }
        """

    /// The styles of a line, a dot and a legend key for each colour.
    private static let colours = (0..<LinePlot.maxLines).map { number in
        ".c\(number) { stroke: var(--c\(number)); } .d\(number) { fill: var(--c\(number)); } "
            + ".k\(number) { background: var(--c\(number)); }"
    }.joined(separator: "\n")
}
