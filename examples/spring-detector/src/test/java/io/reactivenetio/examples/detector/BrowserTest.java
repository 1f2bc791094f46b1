// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page in a browser: its figures move, and its buttons do what they say. */
@Tag("browser")
@Timeout(300)
class BrowserTest {
    private static final int PHONE = 360;

    /** Elements that are wider than the page, or have more in them than they show. */
    private static final String OVERFLOWING = """
            const width = document.documentElement.clientWidth;
            return [...document.querySelectorAll('body, body *')]
                .filter(e => e.getBoundingClientRect().right > width + 0.5
                    || e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1)
                .map(e => e.tagName + '#' + e.id + ' ' + e.textContent.slice(0, 40))
                .concat(document.documentElement.scrollWidth > width ? ['the page scrolls sideways'] : []);
            """;

    /** Texts whose contrast with what is behind them is less than 4.5 to 1, as WCAG 2 reckons it. */
    private static final String FAINT = """
            const parse = color => color.match(/[0-9.]+/g).map(Number);
            const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
                .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
            const ground = e => {
              const color = parse(getComputedStyle(e).backgroundColor);
              return color[3] === 0 && e.parentElement ? ground(e.parentElement) : color;
            };
            return [...document.querySelectorAll('body *')]
                .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
                .map(e => {
                  const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(ground(e))].sort();
                  const [low, high] = a < b ? [a, b] : [b, a];
                  return [(high + 0.05) / (low + 0.05), e.tagName + ' ' + e.textContent.slice(0, 40)];
                })
                .filter(([contrast]) => contrast < 4.5).map(([contrast, what]) => contrast.toFixed(2) + ' ' + what);
            """;

    /** What can be operated or is a picture, and has no name. */
    private static final String NAMELESS = """
            return [...document.querySelectorAll('input, button, canvas')]
                .filter(e => !(e.ariaLabel || e.labels?.[0]?.textContent || e.textContent).trim()).map(e => e.outerHTML);
            """;

    /** How many different colours a canvas has. */
    private static final String COLORS = """
            const canvas = document.querySelector(arguments[0]);
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return new Set(new Uint32Array(pixels.buffer)).size;
            """;

    private static RunningApplication application;
    private static Browser browser;

    @BeforeAll
    static void open() {
        application = RunningApplication.start();
        browser = new Browser(application.uri());
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
        application.close();
    }

    @BeforeEach
    void shouldRun() throws InterruptedException {
        application.post("detector/revive");
        application.post("consumers/readout/FAST");
        application.post("consumers/monitor/FAST");
        browser.look(1_280, 900, false);
        running();
    }

    @AfterEach
    void shouldNotComplain() {
        assertThat(browser.console()).isEmpty();
    }

    private static void running() throws InterruptedException {
        browser.await("the full rate", () -> browser.number("#events") > 500 && browser.number("#vetoed") < 100
                && browser.text("#state").contains("● connected"));
    }

    private static void choose(String consumer, String pace) {
        browser.find("#%s [value=%s]".formatted(consumer, pace)).click();
    }

    private static long link(int number, int column) {
        return browser.number("#links tr:nth-child(%d) > :nth-child(%d) > span".formatted(number + 1, column + 1));
    }

    /** The rate at which a link's fragments are asked for. */
    private static long asked(int number) {
        return link(number, 2);
    }

    private static long consumer(String name, String figure) {
        return browser.number("#of-%s [data-name='%s']".formatted(name, figure));
    }

    @Test
    void shouldShowDataThatMove() throws Exception {
        for (int i = 0; i < 8; i++) {
            int number = i;
            browser.await("link " + i, () -> link(number, 1) > 500 && asked(number) > 500);
        }
        browser.await("the readout's rate", () -> consumer("readout", "received/s") > 4_000);
        assertThat(consumer("readout", "credits")).isEqualTo(32);
        for (String canvas : List.of("#minute", "#hits", "#latencies", "#sizes")) {
            assertThat((Long) browser.run(COLORS, canvas)).as(canvas).isGreaterThan(5);
            String before = pixels(canvas);
            browser.await(canvas + " moves", () -> !pixels(canvas).equals(before));
        }
        assertThat(browser.text("#quantiles")).matches("Half of them less than [0-9,]+ (µs|ms|s), 99 % less than .*");
    }

    private static String pixels(String canvas) {
        return String.valueOf(browser.run("return document.querySelector(arguments[0]).toDataURL()", canvas));
    }

    @Test
    void shouldHoldTheDetectorBackWhenTheReadoutIsSlow() throws Exception {
        choose("readout", "SLOW");
        browser.await("few events, and little demand of each link", () -> browser.number("#events") < 150
                && browser.number("#events") > 0 && browser.number("#vetoed") > 500
                && IntStream.range(0, 8).allMatch(i -> asked(i) < 400));
        assertThat(browser.text("#story")).contains("asks for less", "Nothing is dropped");
        assertThat(consumer("readout", "dropped")).isZero();
        choose("readout", "FAST");
        running();
    }

    @Test
    void shouldStopTheDetectorWhenTheReadoutStalls() throws Exception {
        choose("readout", "STALLED");
        browser.await("no events, no demand", () -> browser.number("#events") == 0 && browser.number("#vetoed") > 500
                && IntStream.range(0, 8).allMatch(i -> asked(i) == 0 && link(i, 3) == 0));
        assertThat(browser.run("return document.querySelectorAll('#links .full').length")).isNotEqualTo(0L);
        assertThat(browser.text("#story")).contains("asks for nothing", "Nothing is dropped");
        browser.picture("spring-stalled");
        choose("readout", "FAST");
        running();
    }

    @Test
    void shouldDropForASlowMonitorOnly() throws Exception {
        long before = consumer("monitor", "dropped");
        choose("monitor", "SLOW");
        browser.await("few received", () -> consumer("monitor", "received/s") < 200);
        browser.await("dropped", () -> consumer("monitor", "dropped") > before + 1_000);
        running();
        assertThat(browser.text("#story")).contains("dropped");
        assertThat(consumer("readout", "dropped")).isZero();
        choose("monitor", "STALLED");
        browser.await("none received", () -> consumer("monitor", "received/s") == 0);
        running();
    }

    @Test
    void shouldSayThatTheDetectorIsGoneAndGoOnWhenItIsBack() throws Exception {
        long connected = consumer("readout", "times connected");
        browser.find("#life").click();
        browser.await("not connected", () -> browser.text("#state").contains("✕ not connected")
                && browser.text("#story").contains("nobody listens") && browser.number("#events") == 0);
        browser.await("the button to revive it", () -> browser.text("#life").equals("Revive the detector"));
        browser.await("the monitor, which may hear of it later", () -> browser.text("#of-monitor").contains("not connected"));
        browser.await("both in the journal", () -> browser.text("#journal").contains("was closed by the peer")
                && browser.text("#journal").contains("the detector is killed"));
        browser.picture("spring-killed");
        browser.find("#life").click();
        running();
        assertThat(consumer("readout", "times connected")).isEqualTo(connected + 1);
        assertThat(browser.text("#life")).isEqualTo("Kill the detector");
    }

    @Test
    void shouldBeOperatedWithTheKeyboard() throws Exception {
        browser.reload();
        running();
        browser.find("body").sendKeys(Keys.TAB);
        assertThat(focus()).isEqualTo("readout FAST");
        focused().sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
        assertThat(focus()).isEqualTo("readout STALLED");
        browser.await("stalled", () -> browser.number("#events") == 0);
        focused().sendKeys(Keys.ARROW_RIGHT); // around
        running();
        focused().sendKeys(Keys.TAB);
        assertThat(focus()).isEqualTo("monitor FAST");
        focused().sendKeys(Keys.TAB);
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("life");
        focused().sendKeys(Keys.SPACE);
        browser.await("killed", () -> browser.text("#life").equals("Revive the detector"));
        focused().sendKeys(Keys.ENTER);
        running();
    }

    private static WebElement focused() {
        return browser.find(":focus");
    }

    private static Object focus() {
        return browser.run("return document.activeElement.name + ' ' + document.activeElement.value");
    }

    @Test
    void shouldLookGoodEverywhere() throws Exception {
        for (int width : new int[] {PHONE, 768, 1_280, 2_560}) {
            for (boolean dark : new boolean[] {false, true}) {
                browser.look(width, 800, dark);
                Thread.sleep(300); // a sample or more
                assertThat((List<?>) browser.run(OVERFLOWING)).as("%d pixels", width).isEmpty();
                assertThat((List<?>) browser.run(FAINT)).as("dark: %s", dark).isEmpty();
                browser.picture("spring-" + width + (dark ? "-dark" : "-light"));
            }
        }
        assertThat((List<?>) browser.run(NAMELESS)).isEmpty();
    }

    @Test
    void shouldSayWhenTheApplicationIsGone() throws Exception {
        try (RunningApplication other = RunningApplication.start(); Browser watching = new Browser(other.uri())) {
            watching.await("data", () -> watching.number("#events") > 0);
            other.interrupt();
            watching.await("the end", () -> watching.text("#state").contains("✕ no word from the application"));
            watching.find("#life").click();
            watching.await("a problem", () -> watching.text("#problem").contains("The application does not answer"));
        }
    }
}
