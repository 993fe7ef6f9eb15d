/**
 * Weather from Open-Meteo, which needs no key (https://open-meteo.com). The app stores the last
 * response to show it without a network.
 *
 * To use another service, change `addressOf` and `readWeather`; the other functions do not depend
 * on it.
 */

interface City {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

interface Day {
  /** Such as 2026-11-26. */
  readonly date: string;
  readonly sky: string;
  readonly warmest: number;
  readonly coldest: number;
}

interface Weather {
  readonly temperature: number;
  readonly wind: number;
  readonly sky: string;
  readonly days: readonly Day[];
  /** Time of the response, in milliseconds since 1970. */
  readonly fetched: number;
}

const CITIES: readonly City[] = [
  { name: 'Berlin', latitude: 52.52, longitude: 13.41 },
  { name: 'London', latitude: 51.51, longitude: -0.13 },
  { name: 'Nairobi', latitude: -1.29, longitude: 36.82 },
  { name: 'New York', latitude: 40.71, longitude: -74.01 },
  { name: 'São Paulo', latitude: -23.55, longitude: -46.63 },
  { name: 'Tokyo', latitude: 35.68, longitude: 139.69 },
];

const problem = document.getElementById('problem') as HTMLElement;
const state = document.getElementById('state') as HTMLElement;
const cities = document.getElementById('cities') as HTMLSelectElement;
const nowCard = document.getElementById('now') as HTMLElement;
const temperature = document.getElementById('temperature') as HTMLElement;
const sky = document.getElementById('sky') as HTMLElement;
const wind = document.getElementById('wind') as HTMLElement;
const daysCard = document.getElementById('days') as HTMLElement;
const refreshButton = document.getElementById('refresh') as HTMLButtonElement;

function addressOf({ latitude, longitude }: City): string {
  return (
    `https://api.open-meteo.com/v1/forecast?latitude=${latitude}&longitude=${longitude}` +
    '&current=temperature_2m,weather_code,wind_speed_10m' +
    '&daily=weather_code,temperature_2m_max,temperature_2m_min&timezone=auto&forecast_days=5'
  );
}

/** Throws if the response has an unexpected format. */
function readWeather(body: string): Weather {
  const { current, daily } = JSON.parse(body);
  return {
    temperature: Math.round(current.temperature_2m),
    wind: Math.round(current.wind_speed_10m),
    sky: skyOf(current.weather_code),
    days: daily.time.map((date: string, index: number) => ({
      date,
      sky: skyOf(daily.weather_code[index]),
      warmest: Math.round(daily.temperature_2m_max[index]),
      coldest: Math.round(daily.temperature_2m_min[index]),
    })),
    fetched: Date.now(),
  };
}

/** Weather codes of the World Meteorological Organization, in groups. */
function skyOf(code: number): string {
  if (code === 0) return '☀️ Clear';
  if (code <= 2) return '🌤️ Partly cloudy';
  if (code === 3) return '☁️ Overcast';
  if (code <= 48) return '🌫️ Fog';
  if (code <= 67) return '🌧️ Rain';
  if (code <= 77) return '🌨️ Snow';
  if (code <= 82) return '🌦️ Showers';
  if (code <= 86) return '🌨️ Snow showers';
  return '⛈️ Thunderstorm';
}

/** The text for the user, by the code of a HostError. Other codes are bugs of the app. */
function explain(error: unknown): string {
  const { code, message } = error as HostError;
  if (code === 'permission_denied') return 'This app may not use the network. Allow it, then refresh.';
  if (code === 'network_error') return 'No connection. Refresh when you are online.';
  if (code === 'timeout') return 'The weather service did not respond. Try again.';
  if (code === 'busy') return 'Too many requests. Try again.';
  if (code === 'quota_exceeded') return 'The storage is full: the weather is not kept.';
  if (code === 'unsupported') return 'Open this app on a phone, or with "waypost pkg dev".';
  return `The weather cannot be read: ${message}`;
}

function report(error: unknown): void {
  problem.textContent = explain(error);
  problem.hidden = false;
}

const keyOf = (city: City): string => `weather-${city.name}`;
const chosenCity = (): City => CITIES[cities.selectedIndex];

/** Shows the stored weather at once, then the response of the service. */
async function change(): Promise<void> {
  nowCard.hidden = true;
  daysCard.hidden = true;
  const city = chosenCity();
  try {
    await Host.storage.set('city', city.name);
    const kept = await Host.storage.get(keyOf(city));
    if (kept !== null && city === chosenCity()) show(JSON.parse(kept));
  } catch (error) {
    report(error);
  }
  await refresh();
}

async function refresh(): Promise<void> {
  const city = chosenCity();
  problem.hidden = true;
  refreshButton.disabled = true;
  const before = state.textContent;
  state.textContent = 'Loading…';
  try {
    const response = await Host.network.fetch(addressOf(city));
    // fetch() does not throw for an error status, so check `ok`.
    if (!response.ok) throw new Error(`the service responded with ${response.status}`);
    const weather = readWeather(response.body);
    // The user may have chosen another city meanwhile.
    if (city === chosenCity()) show(weather);
    await Host.storage.set(keyOf(city), JSON.stringify(weather));
  } catch (error) {
    if (city === chosenCity()) {
      if (state.textContent === 'Loading…') state.textContent = nowCard.hidden ? '' : before;
      report(error);
    }
  }
  refreshButton.disabled = false;
}

function show(weather: Weather): void {
  temperature.textContent = `${weather.temperature} °C`;
  sky.textContent = weather.sky;
  wind.textContent = `Wind ${weather.wind} km/h`;
  daysCard.replaceChildren(...weather.days.map(itemOf));
  state.textContent = `As of ${new Date(weather.fetched).toLocaleString()}`;
  nowCard.hidden = false;
  daysCard.hidden = false;
}

function itemOf(day: Day): HTMLElement {
  const texts = [
    new Date(`${day.date}T12:00`).toLocaleDateString(undefined, { weekday: 'short' }),
    day.sky,
    `${day.coldest} to ${day.warmest} °C`,
  ];
  const item = document.createElement('li');
  for (const text of texts) {
    const part = document.createElement('span');
    part.textContent = text;
    item.append(part);
  }
  return item;
}

async function start(): Promise<void> {
  for (const { name } of CITIES) cities.append(new Option(name));
  try {
    const name = await Host.storage.get('city');
    cities.selectedIndex = Math.max(
      0,
      CITIES.findIndex((city) => city.name === name),
    );
  } catch (error) {
    report(error);
  }
  await change();
}

cities.addEventListener('change', change);
refreshButton.addEventListener('click', refresh);
start();
